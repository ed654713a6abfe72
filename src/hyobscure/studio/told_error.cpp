#include "hyobscure/studio/told_error.h"

#include <filesystem>
#include <new>

#include "hyobscure/base/error.h"
#include "hyobscure/base/terminal.h"
#include "hyobscure/data/engine/engine.h"

namespace hyobscure::studio {
namespace {

Json input_error_json(const InputError& error) {
  return {{"message", for_terminal(error.what())},
          {"source", one_line(error.place().source)},
          {"row", error.place().row},
          {"column", one_line(error.place().column)},
          {"problem", for_terminal(error.problem())},
          {"remedy", for_terminal(error.remedy())},
          {"ours", false}};
}

}  // namespace

Json told_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& input) {
    return input_error_json(input);
  } catch (const data::EngineError& engine) {
    return input_error_json(data::explain(engine, "data"));
  } catch (const std::bad_alloc&) {
    return input_error_json(
        {{.source = "memory"}, "there is not enough", "Use fewer clusters, or a larger machine."});
  } catch (const std::filesystem::filesystem_error& file) {
    return input_error_json({{.source = file.path1().string()}, file.code().message(), "Correct the path."});
  } catch (const std::exception& fault) {
    Json json = input_error_json(
        {{.source = "the program"}, fault.what(), "Please report it: it is a fault of HyObscure."});
    json["ours"] = true;
    return json;
  }
}

}  // namespace hyobscure::studio
