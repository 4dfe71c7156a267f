/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An importer of FMUs of both versions that does what lines on stdin say, for tests/fmu/fmu.py.
 *
 * usage: import 2|3 LIBRARY RESOURCES TOKEN [events]
 *
 *   init T        initialise from T on         set REF V       der REF ORDER V
 *   step T H      a step of communication      get REF ...     prints the values as %a
 *   save FILE     the state, serialised        load FILE       and back
 *   keep, back    the state in this instance   event, go       event mode and step mode
 *   other         goes on with a second instance, and back
 *   end, reset    begin, start: the halves of init
 * Every line answers "status ..."; lines of the log come as "log STATUS CATEGORY MESSAGE". */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static bool three, with_events;
static void *instances[2], *instance, *kept;

typedef void (*function)(void);

static function find(const char *name) {
  void *found = dlsym(library, name);
  if (found) return (function)(uintptr_t)found;
  fprintf(stderr, "%s is not there\n", name);
  exit(1);
}

/* The function `name` without its "fmi2" or "fmi3", as one of the given type. */
#define CALL(name, type) ((type)find(three ? "fmi3" name : "fmi2" name))

typedef int (*plain)(void *);
typedef int (*with_state)(void *, void *);
typedef int (*with_size)(void *, void *, size_t *);
typedef int (*with_bytes)(void *, void *, char *, size_t);
typedef int (*from_bytes)(void *, const char *, size_t, void **);

static void write_log3(void *environment, int status, const char *category, const char *message) {
  (void)environment;
  printf("log %d %s %s\n", status, category, message);
}

static void write_log2(void *environment, const char *name, int status, const char *category,
                       const char *format, ...) {
  (void)environment;
  (void)name;
  char line[2000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  write_log3(NULL, status, category, line);
}

static const struct callbacks {
  void (*log)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} calls = {write_log2, calloc, free, NULL, NULL};

static long updates;

static void update(void *environment, double t, bool set, bool get, bool finished, bool can,
                   bool *requested, double *until) {
  (void)environment, (void)t, (void)set, (void)get, (void)finished, (void)can, (void)until;
  *requested = false;
  ++updates;
}

static void *instantiate(const char *resources, const char *token) {
  if (three)
    return ((void *(*)(const char *, const char *, const char *, bool, bool, bool, bool,
                       const uint32_t *, size_t, void *, void *,
                       void *))find("fmi3InstantiateCoSimulation"))(
        "test", token, resources, false, true, with_events, true, NULL, 0, NULL,
        (void *)(uintptr_t)write_log3, (void *)(uintptr_t)update);
  return ((void *(*)(const char *, int, const char *, const char *, const struct callbacks *, int,
                     int))find("fmi2Instantiate"))("test", 1, token, resources, &calls, 0, 1);
}

static int begin(double start) {
  if (three)
    return CALL("EnterInitializationMode", int (*)(void *, bool, double, double, bool, double))(
        instance, false, 0, start, false, 0);
  const int status = CALL("SetupExperiment", int (*)(void *, int, double, double, int, double))(
      instance, 0, 0, start, 0, 0);
  return status ? status : CALL("EnterInitializationMode", plain)(instance);
}

static int get(char *words) {
  int status = 0;
  for (char *word = strtok(words, " "); word && !status; word = strtok(NULL, " ")) {
    const uint32_t reference = (uint32_t)strtoul(word, NULL, 10);
    double value = 0;
    if (three)
      status = CALL("GetFloat64", int (*)(void *, const uint32_t *, size_t, double *, size_t))(
          instance, &reference, 1, &value, 1);
    else
      status = CALL("GetReal", int (*)(void *, const uint32_t *, size_t, double *))(
          instance, &reference, 1, &value);
    printf("%a ", value);
  }
  return status;
}

static int set(uint32_t reference, double value) {
  if (three)
    return CALL("SetFloat64", int (*)(void *, const uint32_t *, size_t, const double *, size_t))(
        instance, &reference, 1, &value, 1);
  return CALL("SetReal", int (*)(void *, const uint32_t *, size_t, const double *))(
      instance, &reference, 1, &value);
}

static int step(double t, double h) {
  if (!three) {
    const int status = CALL("DoStep", int (*)(void *, double, double, int))(instance, t, h, 1);
    double reached = 0;
    int terminated = 0;
    CALL("GetRealStatus", int (*)(void *, int, double *))(instance, 2, &reached);
    CALL("GetBooleanStatus", int (*)(void *, int, int *))(instance, 3, &terminated);
    printf("0 %d %d %a ", terminated, status != 0, reached);
    return status;
  }
  bool events = false, terminate = false, early = false;
  double reached = 0;
  const int status =
      CALL("DoStep", int (*)(void *, double, double, bool, bool *, bool *, bool *, double *))(
          instance, t, h, true, &events, &terminate, &early, &reached);
  printf("%d %d %d %a ", events, terminate, early, reached);
  return status;
}

static const char *state_word(const char *of3, const char *of2) {
  return three ? of3 : of2;
}

static int save(const char *file) {
  void *state = NULL;
  size_t size = 0;
  int status =
      ((with_state)find(state_word("fmi3GetFMUState", "fmi2GetFMUstate")))(instance, &state);
  if (!status)
    status = ((with_size)find(state_word("fmi3SerializedFMUStateSize",
                                         "fmi2SerializedFMUstateSize")))(instance, state, &size);
  char *bytes = malloc(size + 1);
  if (!status)
    status = ((with_bytes)find(state_word("fmi3SerializeFMUState", "fmi2SerializeFMUstate")))(
        instance, state, bytes, size);
  FILE *out = fopen(file, "wb");
  if (out) {
    fwrite(bytes, 1, size, out);
    fclose(out);
  }
  free(bytes);
  ((with_state)find(state_word("fmi3FreeFMUState", "fmi2FreeFMUstate")))(instance, &state);
  printf("%zu ", size);
  return state ? 3 : status;
}

static int load(const char *file) {
  static char bytes[1 << 20];
  FILE *in = fopen(file, "rb");
  const size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;
  if (in) fclose(in);
  void *state = NULL;
  int status = ((from_bytes)find(state_word("fmi3DeserializeFMUState", "fmi2DeSerializeFMUstate")))(
      instance, bytes, size, &state);
  if (!status)
    status = ((with_state)find(state_word("fmi3SetFMUState", "fmi2SetFMUstate")))(instance, state);
  ((with_state)find(state_word("fmi3FreeFMUState", "fmi2FreeFMUstate")))(instance, &state);
  return status;
}

static int derivative(uint32_t reference, int order, double value) {
  return CALL("SetRealInputDerivatives",
              int (*)(void *, const uint32_t *, size_t, const int *, const double *))(
      instance, &reference, 1, &order, &value);
}

static int update_discrete(void) {
  bool flags[5];
  double next;
  return CALL("UpdateDiscreteStates",
              int (*)(void *, bool *, bool *, bool *, bool *, bool *, double *))(
      instance, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next);
}

static int go(void) {
  const int status = update_discrete();
  return status ? status : CALL("EnterStepMode", plain)(instance);
}

static int obey(char *line) {
  char *rest = line;
  const char *verb = strsep(&rest, " ");
  double numbers[3] = {0, 0, 0};
  const char *argument = rest ? rest : "";
  sscanf(argument, "%lf %lf %lf", &numbers[0], &numbers[1], &numbers[2]);
  if (!strcmp(verb, "get")) return get(rest);
  if (!strcmp(verb, "set")) return set((uint32_t)numbers[0], numbers[1]);
  if (!strcmp(verb, "der")) return derivative((uint32_t)numbers[0], (int)numbers[1], numbers[2]);
  if (!strcmp(verb, "step")) return step(numbers[0], numbers[1]);
  if (!strcmp(verb, "save")) return save(argument);
  if (!strcmp(verb, "load")) return load(argument);
  if (!strcmp(verb, "begin")) return begin(numbers[0]);
  if (!strcmp(verb, "start")) return CALL("ExitInitializationMode", plain)(instance);
  if (!strcmp(verb, "end")) return CALL("Terminate", plain)(instance);
  if (!strcmp(verb, "reset")) return CALL("Reset", plain)(instance);
  if (!strcmp(verb, "event")) return CALL("EnterEventMode", plain)(instance);
  if (!strcmp(verb, "go")) return go();
  if (!strcmp(verb, "updates")) return printf("%ld ", updates), 0;
  if (!strcmp(verb, "keep"))
    return ((with_state)find(state_word("fmi3GetFMUState", "fmi2GetFMUstate")))(instance, &kept);
  if (!strcmp(verb, "back"))
    return ((with_state)find(state_word("fmi3SetFMUState", "fmi2SetFMUstate")))(instance, kept);
  if (!strcmp(verb, "other")) {
    instance = instance == instances[0] ? instances[1] : instances[0];
    return 0;
  }
  if (!strcmp(verb, "init")) {
    const int status = begin(numbers[0]);
    return status ? status : CALL("ExitInitializationMode", plain)(instance);
  }
  return -1;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  three = argv[1][0] == '3';
  with_events = argc > 5;
  library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("version %s\n", CALL("GetVersion", const char *(*)(void))());
  for (int i = 0; i < 2; ++i)
    if (!(instances[i] = instantiate(argv[3], argv[4]))) return 1;
  instance = instances[0];
  static char line[20000];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    printf("status %d\n", obey(line));
  }
  if (kept) ((with_state)find(state_word("fmi3FreeFMUState", "fmi2FreeFMUstate")))(instance, &kept);
  for (int i = 0; i < 2; ++i) CALL("FreeInstance", void (*)(void *))(instances[i]);
  /* The library stays open: without it nothing would show that what others' libraries keep from
   * their initialisation is still in use. */
  return 0;
}
