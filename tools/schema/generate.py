#!/usr/bin/env python3
"""Turns the schema's JSON files into C++ structs and descriptor tables.

Usage: generate.py SCHEMA_DIR OUT_DIR    writes OUT_DIR/{machinery,api}/<group>_<version>.{h,cpp}
                                         and OUT_DIR/api/resources.{h,cpp}, what a server serves
       generate.py --list SCHEMA_DIR     prints those names, without suffix

Files are written only if they change, so that nothing is rebuilt for nothing.
"""
import json
import os
import re
import sys

GROUP_OF_FILE = {'apps': 'apps', 'batch': 'batch', 'autoscaling': 'autoscaling', 'policy': 'policy', 'core': ''}
KEYWORDS = {'default', 'operator', 'namespace', 'int', 'bool', 'string', 'template', 'class', 'enum', 'not', 'and',
            'or', 'export', 'public', 'private', 'protected', 'delete', 'new', 'continue', 'switch', 'double', 'signed',
            'union', 'register', 'static', 'const', 'auto', 'char', 'type_', 'requires', 'volatile', 'xor', 'this'}
KEYWORDS.discard('string')
SCALARS = {  # schema type: (C++ type, TypeKind, Go's name)
    'string': ('std::string', 'kString', 'string'), 'bool': ('bool', 'kBool', 'bool'),
    'int32': ('std::int32_t', 'kInt32', 'int32'), 'int64': ('std::int64_t', 'kInt64', 'int64'),
    'int': ('std::int64_t', 'kInt64', 'int'),
    'float64': ('double', 'kDouble', 'float64'), 'bytes': ('Bytes', 'kBytes', '[]uint8'),
    'resource.Quantity': ('Quantity', 'kQuantity', 'resource.Quantity'),
    'intstr.IntOrString': ('IntOrString', 'kIntOrString', 'intstr.IntOrString'),
    'runtime.RawExtension': ('RawExtension', 'kRaw', 'runtime.RawExtension'),
    'runtime.Object': ('RawExtension', 'kRaw', 'runtime.Object'),
    'meta.Time': ('Time', 'kTime', 'v1.Time'), 'meta.MicroTime': ('MicroTime', 'kMicroTime', 'v1.MicroTime'),
    'meta.Duration': ('GoDuration', 'kDuration', 'v1.Duration'),
    'meta.FieldsV1': ('RawExtension', 'kRaw', 'v1.FieldsV1'),
    'any': ('RawExtension', 'kRaw', 'interface {}'),
    'time.Duration': ('GoDuration', 'kDuration', 'time.Duration'), 'time.Time': ('Time', 'kTime', 'time.Time'),
}
STRINGS = {'types.UID', 'types.NodeName', 'types.NamespacedName'}
RAW_STRUCTS = {'JSON', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrArray', 'JSONSchemaPropsOrStringArray'}
NOT_GENERATED = {'meta': {'Time', 'MicroTime', 'Duration', 'FieldsV1', 'Timestamp', 'InternalEvent', 'List', 'Patch',
                          'GroupKind', 'GroupResource', 'GroupVersion', 'GroupVersionResource', 'WatchEvent'}}
LARGE = 8  # structs with this many fields have their special members compiled once
CHUNK = 70  # structs in one generated source


def snake(name):
    name = re.sub(r'[^A-Za-z0-9]', '_', name)
    name = re.sub(r'([A-Z]+)s(?=[A-Z]|$)', lambda m: m.group(1).capitalize() + 's', name)  # IPs -> Ips
    name = re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', name)
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name).lower().strip('_')
    return name + '_' if name in KEYWORDS else name


class Group:
    def __init__(self, path):
        stem, self.version = os.path.basename(path)[:-len('.json')].rsplit('-', 1)
        data = json.load(open(path))
        self.package = stem
        self.group = GROUP_OF_FILE.get(stem, data['group'])
        self.namespace = stem if self.version == 'v1' else f'{stem}_{self.version}'
        self.name = f'{stem}_{self.version}'
        self.structs, self.aliases = {}, {a['name']: a for a in data['aliases']}
        skip = NOT_GENERATED.get(stem, set())
        for struct in data['structs']:
            if struct['name'] not in skip and struct['name'] not in self.structs and struct['name'] not in RAW_STRUCTS:
                self.structs[struct['name']] = struct
        self.folder = 'machinery' if stem == 'meta' else 'api'


class Schema:
    def __init__(self, folder):
        self.groups = [Group(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith('.json')]
        self.by_name = {g.name: g for g in self.groups}

    def package(self, prefix, group):
        """The groups that a prefix can mean, seen from `group`."""
        known = {'meta': ['meta_v1'], 'core': ['core_v1'], 'corev1': ['core_v1'], 'apiv1': ['core_v1'],
                 'v1': ['core_v1', 'meta_v1'], 'schedulingv1alpha3': ['scheduling_v1alpha3']}
        return [self.by_name[n] for n in known[prefix]]

    def resolve(self, name, group):
        """(group, bare name) of a named type, or None."""
        candidates, bare = [group], name
        if '.' in name:
            prefix, bare = name.split('.', 1)
            candidates = self.package(prefix, group)
        for candidate in candidates:
            if bare in candidate.structs or bare in candidate.aliases:
                return candidate, bare
        return None


class Type:
    """A schema type as C++: its spelling, the expression of its TypeDescriptor, what it contains by value."""
    def __init__(self, cpp, kind, go, element=None, struct=None, alias=None, boxed=False):
        self.cpp, self.kind, self.go = cpp, kind, go
        self.element, self.struct, self.alias, self.boxed = element, struct, alias, boxed


def split_generic(text):
    head, inner = text.split('<', 1)
    return head, inner[:-1]


def parse_type(text, group, schema):
    if text in SCALARS:
        return Type(*SCALARS[text])
    if group.name == 'meta_v1' and 'meta.' + text in SCALARS:
        return Type(*SCALARS['meta.' + text])
    if text in STRINGS:
        return Type('std::string', 'kString', text)
    if '<' in text:
        head, inner = split_generic(text)
        if head == 'map':
            element = parse_type(inner.split(',', 1)[1], group, schema)
            return Type(f'std::map<std::string, {element.cpp}>', 'kMap', f'map[string]{element.go}', element)
        element = parse_type(inner, group, schema)
        if head == 'list':
            if element.cpp == 'bool':
                element = Type('Bool', 'kBool', 'bool')
            return Type(f'std::vector<{element.cpp}>', 'kList', f'[]{element.go}', element)
        if element.kind == 'kStruct':
            return Type(f'Box<{element.cpp}>', 'kOptional', element.go, element, boxed=True)
        if element.kind == 'kRaw':
            return element  # null is absent already
        return Type(f'std::optional<{element.cpp}>', 'kOptional', element.go, element)
    if text.split('.')[-1] in RAW_STRUCTS:
        return Type('RawExtension', 'kRaw', text)
    found = schema.resolve(text, group)
    if not found:
        raise SystemExit(f'{group.name}: unknown type {text}')
    owner, bare = found
    if bare in owner.structs:
        cpp = bare if owner is group else f'{owner.namespace}::{bare}'
        return Type(cpp, 'kStruct', f'{owner.version}.{bare}', struct=(owner, bare))
    alias = owner.aliases[bare]
    if alias['type'] == 'string':
        return Type('std::string', 'kString', f'{owner.version}.{bare}', alias=(owner, bare))
    target = parse_type(alias['type'], owner, schema)
    target.go = f'{owner.version}.{bare}' if target.kind not in ('kList', 'kMap') else target.go
    return target


def fields_of(struct, group, schema):
    """(member name, schema field, Type) of each field; a kind's TypeMeta and ObjectMeta are in Object."""
    kind = is_object(struct)
    for field in struct['fields']:
        bare = field['type'].split('.')[-1]
        if kind and field.get('inline') and bare == 'TypeMeta':
            continue
        if not field['name'] and not field.get('inline'):
            continue
        type_ = parse_type(field['type'], group, schema)
        yield snake(field['name'] or bare), field, type_


def is_object(struct):
    return any(f['name'] == 'metadata' and f['type'].split('.')[-1] == 'ObjectMeta' for f in struct['fields']) and \
        any(f.get('inline') and f['type'].split('.')[-1] == 'TypeMeta' for f in struct['fields'])


def by_value(type_):
    """Structs of the same group that must be complete before a member of this type."""
    if type_.kind == 'kStruct':
        return [type_.struct]
    if type_.element and not type_.boxed:
        return by_value(type_.element)
    return []


def ordered(group, schema):
    done, out = set(), []

    def visit(name, path):
        if name in done or name in path:
            return
        for _, _, type_ in fields_of(group.structs[name], group, schema):
            for owner, bare in by_value(type_):
                if owner is group:
                    visit(bare, path | {name})
        done.add(name)
        out.append(name)
    for name in sorted(group.structs):
        visit(name, set())
    return out


def other_groups(group, schema):
    seen = set()

    def walk(type_):
        if type_.struct and type_.struct[0] is not group:
            seen.add(type_.struct[0].name)
        if type_.element:
            walk(type_.element)
    for struct in group.structs.values():
        for _, _, type_ in fields_of(struct, group, schema):
            walk(type_)
        if is_object(struct) and group.name != 'meta_v1':
            seen.add('meta_v1')
    return sorted(seen)


def include_of(name):
    return f'{"machinery" if name == "meta_v1" else "api"}/{name}.h'


def header(group, schema):
    lines = ['// Generated by tools/schema/generate.py from the schema; not edited.', '#pragma once', '',
             '#include <cstdint>', '#include <map>', '#include <optional>', '#include <string>',
             '#include <string_view>', '#include <vector>', '',
             '#include "machinery/box.h"', '#include "machinery/descriptor.h"', '#include "machinery/quantity.h"',
             '#include "machinery/scalars.h"', '#include "machinery/time.h"']
    if any(is_object(s) for s in group.structs.values()) and group.name != 'meta_v1':
        lines.append('#include "machinery/object.h"')
    lines += [f'#include "{include_of(n)}"' for n in other_groups(group, schema)]
    lines += ['', f'namespace dray::{group.namespace} {{', '']
    names = ordered(group, schema)
    lines += [f'struct {n};' for n in names] + ['']
    for name in names:
        struct = group.structs[name]
        object_ = is_object(struct) and group.name != 'meta_v1'
        fields = [f for f in fields_of(struct, group, schema) if not (object_ and f[1]['name'] == 'metadata')]
        lines.append(f'struct {name}' + (' : Object {' if object_ else ' {'))
        lines.append('  static const StructDescriptor kDescriptor;')
        if object_ or len(fields) >= LARGE:
            lines += [f'  {name}();', f'  {name}(const {name}&);', f'  {name}({name}&&) noexcept;',
                      f'  {name}& operator=(const {name}&);', f'  {name}& operator=({name}&&) noexcept;',
                      f'  ~{name}();']
        for member, _, type_ in fields:
            init = {'kBool': ' = false', 'kInt32': ' = 0', 'kInt64': ' = 0', 'kDouble': ' = 0'}.get(type_.kind, '')
            lines.append(f'  {type_.cpp} {member}{init};')
        lines += ['};', '']
    lines.append(f'}}  // namespace dray::{group.namespace}')
    return '\n'.join(lines) + '\n'


def quoted(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


class Tables:
    """The source of one group: its type descriptors (each once), then a table a struct."""
    def __init__(self, group, schema):
        self.group, self.schema = group, schema
        self.types, self.lines, self.strings = {}, [], {}
        self.boxes, self.alias_names = set(), {}

    def string_list(self, items):
        items = tuple(items)
        if not items:
            return '{}'
        if items not in self.strings:
            name = f'kStrings{len(self.strings)}'
            self.strings[items] = name
            body = ', '.join(quoted(i) for i in items)
            self.lines.append(f'constexpr std::string_view {name}[] = {{{body}}};')
        return self.strings[items]

    def alias(self, owner, bare):
        key = (owner.name, bare)
        if key not in self.alias_names:
            alias = owner.aliases[bare]
            values, markers = self.string_list(alias.get('values', [])), self.string_list(alias.get('markers', []))
            name = self.alias_names[key] = f'kAlias{len(self.alias_names)}'
            self.lines.append(f'constexpr AliasDescriptor {name} = {{{quoted(bare)}, {values}, {markers}}};')
        return self.alias_names[key]

    def type(self, type_):
        alias = f'&{self.alias(*type_.alias)}' if type_.alias else 'nullptr'
        element = f'&{self.type(type_.element)}' if type_.element else 'nullptr'
        structure, ops = 'nullptr', 'nullptr'
        if type_.kind == 'kStruct':
            structure = f'&{type_.cpp}::kDescriptor'
        elif type_.kind == 'kOptional':
            ops = f'&type_ops::kOptionalOps<{type_.cpp}>'
            if type_.boxed:
                self.boxes.add(type_.element.cpp)
        elif type_.kind == 'kList':
            ops = f'&type_ops::kListOps<{type_.element.cpp}>'
        elif type_.kind == 'kMap':
            ops = f'&type_ops::kMapOps<{type_.element.cpp}>'
        text = (f'{{TypeKind::{type_.kind}, {structure}, {element}, {ops}, {alias}, {quoted(type_.go)}}}')
        if text not in self.types:
            name = f'kType{len(self.types)}'
            self.types[text] = name
            self.lines.append(f'constexpr TypeDescriptor {name} = {text};')
        return self.types[text]

    def struct(self, name):
        struct = self.group.structs[name]
        object_ = is_object(struct) and self.group.name != 'meta_v1'
        rows = []
        for member, field, type_ in fields_of(struct, self.group, self.schema):
            markers = field.get('markers', [])
            values = dict(m.split('=', 1) for m in markers if '=' in m and not m.startswith('k8s:'))
            keys = [m.split('=', 1)[1] for m in markers if m.startswith('listMapKey=')]
            list_type = values.get('listType') or values.get('mapType') or values.get('structType') or ''
            rest = [m for m in markers if m.split('=')[0] not in
                    ('listType', 'listMapKey', 'mapType', 'structType', 'patchStrategy', 'patchMergeKey')]
            omit = field.get('omit', False) and (type_.kind not in ('kStruct', 'kTime', 'kMicroTime', 'kQuantity',
                                                                    'kIntOrString', 'kDuration')
                                                 or field['name'] == 'creationTimestamp')
            rows.append(f'    {{{quoted("" if field.get("inline") else field["name"])}, {field.get("tag", 0)}, '
                        f'offsetof({name}, {member}), &{self.type(type_)}, {"true" if omit else "false"}, '
                        f'{quoted(field.get("strategy", ""))}, {quoted(field.get("mergeKey", ""))}, '
                        f'{quoted(list_type)}, {self.string_list(keys)}, {self.string_list(rest)}}},')
        markers = self.string_list(struct.get('markers', []))
        fields = '{}'
        if rows:
            self.lines += [f'constexpr FieldDescriptor k{name}Fields[] = {{', *rows, '};']
            fields = f'k{name}Fields'
        make = copy = 'nullptr'
        if object_:
            make = f'[]() -> std::shared_ptr<Object> {{ return std::make_shared<{name}>(); }}'
            copy = (f'[](const Object& from) -> std::shared_ptr<Object> '
                    f'{{ return std::make_shared<{name}>(static_cast<const {name}&>(from)); }}')
        return (f'constinit const StructDescriptor {name}::kDescriptor = {{{quoted(name)}, {quoted(self.group.group)}, '
                f'{quoted(self.group.version)}, {fields}, {markers},\n    {make},\n    {copy}}};')

    def source(self):
        definitions, special = [], []
        for name in ordered(self.group, self.schema):
            struct = self.group.structs[name]
            definitions.append(self.struct(name))
            object_ = is_object(struct) and self.group.name != 'meta_v1'
            if object_ or len([f for f in fields_of(struct, self.group, self.schema)]) >= LARGE:
                init = f' : Object(kDescriptor)' if object_ else ''
                special += [f'{name}::{name}(){init} {{}}', f'{name}::{name}(const {name}&) = default;',
                            f'{name}::{name}({name}&&) noexcept = default;',
                            f'{name}& {name}::operator=(const {name}&) = default;',
                            f'{name}& {name}::operator=({name}&&) noexcept = default;', f'{name}::~{name}() = default;']
        return definitions, special


def source(group, schema, box_owner):
    tables = Tables(group, schema)
    definitions, special = tables.source()
    # A Box of another group's struct is instantiated where it is first met.
    boxes = []
    for cpp in sorted(tables.boxes):
        qualified = cpp if '::' in cpp else f'{group.namespace}::{cpp}'
        if qualified not in box_owner:
            box_owner.add(qualified)
            boxes.append(qualified)
    lines = ['// Generated by tools/schema/generate.py from the schema; not edited.',
             f'#include "{include_of(group.name)}"', '', '#include <cstddef>', '',
             '#include "machinery/box_impl.h"', '#include "machinery/object.h"', '#include "machinery/type_ops.h"', '',
             '#pragma GCC diagnostic ignored "-Winvalid-offsetof"', '']
    lines += ['namespace dray {', *[f'template class Box<{b}>;' for b in boxes], '}  // namespace dray', '']
    lines += [f'namespace dray::{group.namespace} {{', 'namespace {', '', *tables.lines, '', '}  // namespace', '',
              *definitions, '', *special, '', f'}}  // namespace dray::{group.namespace}']
    return '\n'.join(lines) + '\n'


RESOURCES_HEADER = '''// Generated by tools/schema/generate.py from resources.jsonl; not edited.
#pragma once

#include <span>
#include <string_view>

#include "machinery/descriptor.h"

namespace dray::api {

struct SubresourceRow {
  std::string_view name, group, version, kind;
  std::span<const std::string_view> verbs;
};

/// One resource in one version, as Kubernetes' discovery has it.
struct ResourceRow {
  std::string_view group, version, plural, kind, singular;
  bool namespaced, served_by_default;
  std::span<const std::string_view> short_names, categories, verbs;
  std::span<const SubresourceRow> subresources;
  const StructDescriptor* type;
};

/// In the order of discovery: groups and versions by preference, then by name.
[[nodiscard]] std::span<const ResourceRow> resource_rows();

}  // namespace dray::api
'''


def read_lines(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def resources_source(folder, schema):
    """The resources whose structs are here, as constant tables."""
    default = {(r['group'], r['version'], r['resource']) for r in read_lines(f'{folder}/resources.jsonl')}
    groups = {(g.group, g.version): g for g in schema.groups}
    tables = {}
    lines, rows, includes = [], [], set()

    def strings(items):
        if not items:
            return '{}'
        key = ', '.join(quoted(i) for i in items)
        if key not in tables:
            tables[key] = f'kStrings{len(tables)}'
            lines.append(f'constexpr std::string_view {tables[key]}[] = {{{key}}};')
        return tables[key]

    for row in read_lines(f'{folder}/resources-all-gates.jsonl'):
        group = groups.get((row['group'], row['version']))
        if not group or row['kind'] not in group.structs or not is_object(group.structs[row['kind']]):
            continue
        includes.add(group.name)
        subresources = '{}'
        if row['subresources']:
            body = ', '.join(f'{{{quoted(s["subresource"])}, {quoted(s["group"])}, {quoted(s["version"])}, '
                             f'{quoted(s["kind"])}, {strings(s["verbs"])}}}' for s in row['subresources'])
            subresources = f'kSubresources{len(rows)}'
            lines.append(f'constexpr SubresourceRow {subresources}[] = {{{body}}};')
        key = (row['group'], row['version'], row['resource'])
        rows.append(f'    {{{", ".join(quoted(row[k]) for k in ("group", "version", "resource", "kind", "singular"))}, '
                    f'{"true" if row["scope"] == "Namespaced" else "false"}, {"true" if key in default else "false"}, '
                    f'{strings(row["shortNames"])}, {strings(row["categories"])}, {strings(row["verbs"])}, '
                    f'{subresources}, &{group.namespace}::{row["kind"]}::kDescriptor}},')
    return '\n'.join(['// Generated by tools/schema/generate.py from resources.jsonl; not edited.',
                      '#include "api/resources.h"', '', *[f'#include "api/{i}.h"' for i in sorted(includes)], '',
                      'namespace dray::api {', 'namespace {', '', *lines, '', 'const ResourceRow kRows[] = {', *rows,
                      '};', '', '}  // namespace', '', 'std::span<const ResourceRow> resource_rows() { return kRows; }',
                      '', '}  // namespace dray::api']) + '\n'


def write(path, text):
    try:
        if open(path).read() == text:
            return
    except FileNotFoundError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f'{path}.{os.getpid()}'
    with open(part, 'w') as out:
        out.write(text)
    os.replace(part, path)


def main():
    if sys.argv[1] == '--list':
        print(' '.join([*(f'{g.folder}/{g.name}' for g in Schema(sys.argv[2]).groups), 'api/resources']))
        return
    schema, out = Schema(sys.argv[1]), sys.argv[2]
    box_owner = set()
    # Lower groups first: meta, then core, then the rest, so that a Box lives beside its struct.
    for group in sorted(schema.groups, key=lambda g: ({'meta_v1': 0, 'core_v1': 1}.get(g.name, 2), g.name)):
        write(f'{out}/{group.folder}/{group.name}.h', header(group, schema))
        write(f'{out}/{group.folder}/{group.name}.cpp', source(group, schema, box_owner))
    write(f'{out}/api/resources.h', RESOURCES_HEADER)
    write(f'{out}/api/resources.cpp', resources_source(sys.argv[1], schema))


if __name__ == '__main__':
    main()
