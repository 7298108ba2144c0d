# Structs and descriptor tables from src/api/schema/*.json. They do not depend on the configuration,
# so every build folder shares one copy.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(DRAY_GENERATED ${PROJECT_SOURCE_DIR}/build/generated)
file(GLOB DRAY_SCHEMA_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/schema/*.json
     ${PROJECT_SOURCE_DIR}/src/api/schema/*.jsonl)
set(DRAY_SCHEMA_STAMP ${CMAKE_BINARY_DIR}/schema.stamp)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/schema/generate.py --list
                        ${PROJECT_SOURCE_DIR}/src/api/schema
                OUTPUT_VARIABLE DRAY_GENERATED_NAMES OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(DRAY_GENERATED_NAMES)
set(outputs "")
foreach(name IN LISTS DRAY_GENERATED_NAMES)
  list(APPEND outputs ${DRAY_GENERATED}/${name}.h ${DRAY_GENERATED}/${name}.cpp)
endforeach()
add_custom_command(
  OUTPUT ${DRAY_SCHEMA_STAMP}
  BYPRODUCTS ${outputs}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/schema/generate.py
          ${PROJECT_SOURCE_DIR}/src/api/schema ${DRAY_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${DRAY_SCHEMA_STAMP}
  DEPENDS ${DRAY_SCHEMA_FILES} ${PROJECT_SOURCE_DIR}/tools/schema/generate.py
  COMMENT "Structs from the schema")
add_custom_target(dray_schema DEPENDS ${DRAY_SCHEMA_STAMP})

# meta/v1 belongs to machinery (every object has an ObjectMeta), the other groups to api.
function(dray_generated_machinery target)
  dray_add_generated(${target} "^machinery/")
endfunction()
function(dray_generated_api target)
  dray_add_generated(${target} "^api/")
endfunction()
function(dray_add_generated target pattern)
  foreach(name IN LISTS DRAY_GENERATED_NAMES)
    if(name MATCHES ${pattern})
      target_sources(${target} PRIVATE ${DRAY_GENERATED}/${name}.cpp)
      # Tables of operations: built for size and build time, not for speed.
      set_source_files_properties(${DRAY_GENERATED}/${name}.cpp PROPERTIES COMPILE_OPTIONS "-O1;-g0" GENERATED TRUE)
    endif()
  endforeach()
  target_include_directories(${target} PUBLIC ${DRAY_GENERATED})
  add_dependencies(${target} dray_schema)
endfunction()
