#include "hyobscure/base/freed_memory.h"

#include <malloc.h>

namespace hyobscure {

void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace hyobscure
