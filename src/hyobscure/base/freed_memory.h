#pragma once

namespace hyobscure {

/// Gives freed memory back to the system, where the allocator would keep it for later: between stages of
/// large work, so that what one stage has let go of does not stand beside what the next one needs. Takes
/// milliseconds; does nothing where the allocator has no such call.
void return_freed_memory();

}  // namespace hyobscure
