#include "controllers/pod_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "controllers/owners.h"
#include "controllers/pods.h"
#include "machinery/labels.h"

namespace dray::controllers {

bool is_terminating(const Error& error) {
  return std::ranges::any_of(error.causes, [](const Cause& cause) { return cause.reason == "NamespaceTerminating"; });
}

Result<ObjectPtr> PodWriter::create(std::shared_ptr<core::Pod> pod, const Object& owner) {
  Result<ObjectPtr> made = controllers::create(context_.cluster, std::move(pod));
  if (!made) {
    if (!is_terminating(made.error())) {
      context_.cluster.record(owner, {"Warning", "FailedCreate",
                                      fmt::format("Error creating: {}", made.error().message), component_, ""});
    }
    return made;
  }
  context_.pods.observe(*made);
  if (*made) {
    context_.cluster.record(owner, {"Normal", "SuccessfulCreate", fmt::format("Created pod: {}", (*made)->name()),
                                    component_, ""});
  }
  return made;
}

Result<> PodWriter::remove(const core::Pod& pod, const Object& owner) {
  meta::DeleteOptions how;
  how.preconditions.ensure().uid = pod.metadata.uid;
  Answer answer;
  context_.cluster.remove(core::Pod::kDescriptor, pod.namespace_(), pod.name(), how, answer.done());
  const Result<ObjectPtr> done = answer.take();
  if (!done) {
    if (done.error().code == Code::kNotFound) {
      context_.pods.forget(pod);
      return {};
    }
    context_.cluster.record(owner, {"Warning", "FailedDelete",
                                    fmt::format("Error deleting: {}", done.error().message), component_, ""});
    return fail(done.error());
  }
  // Still there, but marked; or gone.
  const auto left = context_.cluster.get<core::Pod>(pod.namespace_(), pod.name());
  if (left && left->metadata.uid == pod.metadata.uid) {
    context_.pods.observe(left);
  } else {
    context_.pods.forget(pod);
  }
  context_.cluster.record(owner, {"Normal", "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.name()),
                                  component_, ""});
  return {};
}

Result<std::vector<PodPtr>> PodWriter::claim(const Object& owner, const LabelSelector& selector) {
  std::vector<PodPtr> out;
  for (const PodPtr& pod : context_.pods.of_controller(owner.metadata.uid)) {
    if (selector.matches(pod->metadata.labels)) {
      out.push_back(pod);
    } else if (!owner.metadata.deletion_timestamp) {
      TRY(release(pod, owner));
    }
  }
  if (owner.metadata.deletion_timestamp) return out;
  for (const PodPtr& pod : context_.pods.orphans(owner.namespace_())) {
    if (is_active(*pod) && selector.matches(pod->metadata.labels)) TRY(adopt(pod, owner, out));
  }
  return out;
}

Result<> PodWriter::adopt(const PodPtr& pod, const Object& owner, std::vector<PodPtr>& out) {
  auto fresh = mutable_copy_as(*pod);
  fresh->metadata.owner_references.push_back(controller_reference(owner));
  const Result<ObjectPtr> done = update(context_.cluster, std::move(fresh));
  if (!done) {
    if (done.error().code == Code::kNotFound) return {};
    return fail(done.error());
  }
  context_.pods.observe(*done);
  if (auto adopted = as<core::Pod>(*done)) out.push_back(std::move(adopted));
  return {};
}

Result<> PodWriter::release(const PodPtr& pod, const Object& owner) {
  auto fresh = mutable_copy_as(*pod);
  std::erase_if(fresh->metadata.owner_references,
                [&](const meta::OwnerReference& one) { return one.uid == owner.metadata.uid; });
  const Result<ObjectPtr> done = update(context_.cluster, std::move(fresh));
  if (!done) {
    if (done.error().code == Code::kNotFound) return {};
    return fail(done.error());
  }
  context_.pods.observe(*done);
  return {};
}

}  // namespace dray::controllers
