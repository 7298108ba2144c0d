#include "controllers/context.h"

#include <utility>

namespace dray::controllers {

Time Context::now() const { return Time::of(wall()); }
WallTime Context::wall() const { return cluster.executor().clock().wall(); }

client::Cluster::Done Answer::done() {
  return [result = result_](const Result<ObjectPtr>& answer) { *result = answer; };
}

Result<ObjectPtr> Answer::take() const { return *result_; }

Result<> Answer::unless_gone() const {
  if (*result_ || result_->error().code == Code::kNotFound) return {};
  return fail(result_->error());
}

Result<ObjectPtr> create(client::Cluster& cluster, std::shared_ptr<Object> object) {
  Answer answer;
  cluster.create(std::move(object), answer.done());
  return answer.take();
}

Result<ObjectPtr> update(client::Cluster& cluster, std::shared_ptr<Object> object) {
  Answer answer;
  cluster.update(std::move(object), answer.done());
  return answer.take();
}

Result<ObjectPtr> update_status(client::Cluster& cluster, std::shared_ptr<Object> object) {
  Answer answer;
  cluster.update_status(std::move(object), answer.done());
  return answer.take();
}

Result<> remove(client::Cluster& cluster, const Object& object) {
  meta::DeleteOptions how;
  how.preconditions.ensure().uid = object.metadata.uid;
  how.propagation_policy = "Background";
  Answer answer;
  cluster.remove(*object.type, object.namespace_(), object.name(), how, answer.done());
  return answer.unless_gone();
}

}  // namespace dray::controllers
