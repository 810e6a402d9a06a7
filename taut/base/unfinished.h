// What this process has in the making on the disk: files and folders that take their places later, or go. A program that
// must end at once removes them all, whatever its other threads are doing.
#pragma once

#include <filesystem>
#include <mutex>

namespace taut {

enum class Unfinished {
  file,
  folder,       // with all that is in it
  made_folder,  // made for results: goes where it is empty
};

// Held while something is made, takes its place or goes, so that it is one of the two.
std::unique_lock<std::recursive_mutex> unfinished_lock();
void note_unfinished(const std::filesystem::path& path, Unfinished kind);
// It has gone; or it is in its place, as one of what was finished.
void forget_unfinished(const std::filesystem::path& path);
void note_finished(const std::filesystem::path& path);

// Removes all of it, the last first, and keeps the lock: nothing takes its place any more. To be followed by the end of
// the process. Returns how many have taken their places before.
long remove_unfinished();

}  // namespace taut
