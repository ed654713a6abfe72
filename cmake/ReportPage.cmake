# The pages of the HTML report and of the studio: TypeScript, style and Apache ECharts of web/, bundled into files that are compiled into the
# libraries. Node and the packages of web/package-lock.json are needed to build, not to run. A source distribution has them
# in web/page, and needs neither.
set(HYOBSCURE_WEB "${PROJECT_SOURCE_DIR}/web")
set(HYOBSCURE_PAGE_IS_MADE FALSE)
if(EXISTS "${PROJECT_SOURCE_DIR}/PKG-INFO" AND EXISTS "${HYOBSCURE_WEB}/page/html_page.cpp")
  set(HYOBSCURE_PAGE_IS_MADE TRUE)
endif()

# Sets `result` to "web" where its packages must be fetched first, else to nothing.
function(hyobscure_page_needs result)
  set(${result} "" PARENT_SCOPE)
  if(NOT HYOBSCURE_PAGE_IS_MADE AND
      NOT (EXISTS "${HYOBSCURE_WEB}/node_modules/esbuild" AND EXISTS "${HYOBSCURE_WEB}/node_modules/echarts"))
    set(${result} web PARENT_SCOPE)
  endif()
endfunction()

# The page alone, in web/page, for a source distribution.
function(hyobscure_make_page)
  find_program(HYOBSCURE_NODE node REQUIRED DOC "Node.js, bundles the pages")
  execute_process(COMMAND ${HYOBSCURE_NODE} "${HYOBSCURE_WEB}/build.mjs" "${HYOBSCURE_WEB}/page" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Compiles a bundled page into a library: html_page of the folder report, studio_page of studio.
function(hyobscure_page target folder name)
  set(web "${HYOBSCURE_WEB}")
  set(page "${PROJECT_BINARY_DIR}/web")
  if(HYOBSCURE_PAGE_IS_MADE)
    set(page "${web}/page")
  else()
    find_program(HYOBSCURE_NODE node REQUIRED DOC "Node.js, bundles the pages")
    if(NOT EXISTS "${web}/node_modules/esbuild" OR NOT EXISTS "${web}/node_modules/echarts")
      message(FATAL_ERROR "web/node_modules is missing: run './run build' once, or 'npm ci' in ${web}")
    endif()
    file(GLOB sources CONFIGURE_DEPENDS "${web}/report/*" "${web}/${folder}/*")
    add_custom_command(OUTPUT "${page}/${name}.cpp"
      COMMAND ${HYOBSCURE_NODE} "${web}/build.mjs" "${page}" ${folder}
      DEPENDS ${sources} "${web}/build.mjs" "${web}/package-lock.json"
      COMMENT "Bundling the page of ${folder}" VERBATIM)
  endif()
  target_sources(${target} PRIVATE "${page}/${name}.cpp")
  set_source_files_properties("${page}/${name}.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
