/* A disk as most are: every flush takes a while longer. Loaded by LD_PRELOAD, in benches only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#ifndef FLUSH_NANOSECONDS
#define FLUSH_NANOSECONDS 2000000
#endif

static int after_a_while(const char *name, int file) {
  struct timespec wait = {FLUSH_NANOSECONDS / 1000000000, FLUSH_NANOSECONDS % 1000000000};
  nanosleep(&wait, 0);
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return flush(file);
}

int fsync(int file) { return after_a_while("fsync", file); }
int fdatasync(int file) { return after_a_while("fdatasync", file); }
