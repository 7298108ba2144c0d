#include "machinery/field_set.h"

#include "machinery/validate.h"

namespace dray {
namespace {

std::string value_text(const Value& value) {
  return value.is_string() ? go_quoted(value.as_string()) : print_json(value);
}

std::string element_text(const PathElement& element) {
  const std::string rest = element.substr(2);
  if (element.starts_with("f:")) return "." + rest;
  if (element.starts_with("i:")) return "[" + rest + "]";
  const auto parsed = parse_json(rest);
  if (!parsed) return "[" + rest + "]";
  if (element.starts_with("v:")) return "[=" + value_text(*parsed) + "]";
  std::string out = "[";
  if (parsed->is_map()) {
    for (const auto& [key, value] : parsed->as_map()) {
      if (out.size() > 1) out += ',';
      out += key + "=" + value_text(value);
    }
  }
  return out + "]";
}

}  // namespace

void FieldSet::insert(const ElementPath& path) {
  FieldSet* at = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) at = &at->children[path[i]];
  if (!path.empty()) at->members.insert(path.back());
}

const FieldSet* FieldSet::below(const PathElement& element) const {
  const auto found = children.find(element);
  return found == children.end() ? nullptr : &found->second;
}

void FieldSet::add(const FieldSet& other) {
  members.insert(other.members.begin(), other.members.end());
  for (const auto& [element, child] : other.children) children[element].add(child);
}

void FieldSet::remove(const FieldSet& other) {
  for (const PathElement& element : other.members) members.erase(element);
  for (const auto& [element, child] : other.children) {
    const auto found = children.find(element);
    if (found == children.end()) continue;
    found->second.remove(child);
    if (found->second.empty()) children.erase(found);
  }
}

void FieldSet::remove_recursively(const FieldSet& other) {
  for (const PathElement& element : other.members) {
    members.erase(element);
    children.erase(element);
  }
  for (const auto& [element, child] : other.children) {
    const auto found = children.find(element);
    if (found == children.end()) continue;
    found->second.remove_recursively(child);
    if (found->second.empty()) children.erase(found);
  }
}

FieldSet FieldSet::intersection(const FieldSet& other) const {
  FieldSet out;
  for (const PathElement& element : members) {
    if (other.members.contains(element)) out.members.insert(element);
  }
  for (const auto& [element, child] : children) {
    const FieldSet* theirs = other.below(element);
    if (theirs == nullptr) continue;
    FieldSet both = child.intersection(*theirs);
    if (!both.empty()) out.children.emplace(element, std::move(both));
  }
  return out;
}

std::vector<ElementPath> FieldSet::paths() const {
  std::vector<ElementPath> out;
  for (const PathElement& element : members) out.push_back({element});
  for (const auto& [element, child] : children) {
    for (ElementPath& path : child.paths()) {
      path.insert(path.begin(), element);
      out.push_back(std::move(path));
    }
  }
  return out;
}

Value FieldSet::to_fields_v1() const {
  std::set<PathElement> elements = members;
  for (const auto& [element, child] : children) elements.insert(element);
  Value out = Value::map();
  for (const PathElement& element : elements) {
    const FieldSet* child = below(element);
    Value inner = Value::map();
    if (child != nullptr) {
      if (members.contains(element)) inner.as_map().emplace_back(".", Value::map());
      Value rest = child->to_fields_v1();
      for (auto& member : rest.as_map()) inner.as_map().push_back(std::move(member));
    }
    out.as_map().emplace_back(element, std::move(inner));
  }
  return out;
}

FieldSet FieldSet::from_fields_v1(const Value& value) {
  FieldSet out;
  if (!value.is_map()) return out;
  for (const auto& [element, inner] : value.as_map()) {
    if (element.size() < 2 || element[1] != ':') continue;
    FieldSet child = from_fields_v1(inner);
    const bool itself = child.empty() || inner.find(".") != nullptr;
    if (itself) out.members.insert(element);
    if (!child.empty()) out.children[element] = std::move(child);
  }
  return out;
}

std::string field_path_text(const ElementPath& path) {
  std::string out;
  for (const PathElement& element : path) out += element_text(element);
  return out;
}

}  // namespace dray
