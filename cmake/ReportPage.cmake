# The page of the HTML report: TypeScript, style and Apache ECharts of web/, bundled into one file that is compiled into the
# library. Node and the packages of web/package-lock.json are needed to build, not to run.
function(hyobscure_report_page target)
  find_program(HYOBSCURE_NODE node REQUIRED DOC "Node.js, bundles the page of the report")
  set(web "${PROJECT_SOURCE_DIR}/web")
  if(NOT EXISTS "${web}/node_modules/esbuild" OR NOT EXISTS "${web}/node_modules/echarts")
    message(FATAL_ERROR "web/node_modules is missing: run './run build' once, or 'npm ci' in ${web}")
  endif()
  set(page "${PROJECT_BINARY_DIR}/web")
  file(GLOB sources CONFIGURE_DEPENDS "${web}/report/*")
  add_custom_command(OUTPUT "${page}/html_page.cpp"
    COMMAND ${HYOBSCURE_NODE} "${web}/build.mjs" "${page}"
    DEPENDS ${sources} "${web}/build.mjs" "${web}/package-lock.json"
    COMMENT "Bundling the page of the report" VERBATIM)
  target_sources(${target} PRIVATE "${page}/html_page.cpp")
  set_source_files_properties("${page}/html_page.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
