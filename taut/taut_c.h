/* taut in C, and for every language that calls C. docs/c.md shows it by example.
 *
 *   taut_model* model = NULL;
 *   taut_simulation* sim = NULL;
 *   if (taut_load("robot.toml", NULL, 0, &model) || taut_simulation_new(model, &sim)) puts(taut_error_message());
 *   taut_command_one(sim, 0, 0.45, 0.1);
 *   taut_advance(sim, 0.01);
 *   taut_read(sim, TAUT_NODES, nodes, 3 * count);
 *
 * SI units throughout. Texts are UTF-8 and end with 0. Numbers of nodes, members, inputs begin at 0.
 *
 * Answers. A function that returns int returns a taut_status, 0 where it did what it was asked. One that returns a
 * number or a pointer returns -1, NaN or NULL where it could not. taut_last_error() says why, for each thread by itself.
 * After an error everything is as it was before the call, unless the function says otherwise, and can be used further.
 *
 * Ownership. taut_..._free() frees what a function has given through a `taut_...**`; NULL is allowed. Handles do not
 * need each other: a simulation has a copy of its model. To use a handle after it was freed is undefined.
 *
 * Threads. A handle serves one thread at a time: a second one, or a control function that calls back, gets TAUT_BUSY.
 * Different handles may be used at the same time. taut_stop() and taut_model_stop() may be called from everywhere.
 *
 * ABI. libtaut_c.so.0 keeps every function and constant that it has ever had, with their meaning. Functions are added, in
 * a new version node of their symbols (TAUT_0.3, ...), and constants at the end of their lists. Structs that the caller
 * fills or owns never change; to those that taut hands out by pointer (taut_error, taut_observation) members are added at
 * the end. TAUT_C_VERSION names the newest functions of this header; a library whose taut_c_version() is not lower has
 * them all.
 */
#ifndef TAUT_C_H
#define TAUT_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TAUT_API __attribute__((visibility("default")))
#else
#define TAUT_API
#endif

#define TAUT_C_VERSION_MAJOR 0
#define TAUT_C_VERSION_MINOR 3
#define TAUT_C_VERSION (100 * TAUT_C_VERSION_MAJOR + TAUT_C_VERSION_MINOR)

TAUT_API const char* taut_version(void); /* of taut: "0.3.0" */
TAUT_API int taut_c_version(void);       /* TAUT_C_VERSION of the library */

/* ---- Errors ---- */

typedef enum taut_status {
  TAUT_OK = 0,
  TAUT_INPUT_ERROR = 1, /* a model, a file, a value that cannot be used */
  TAUT_RUN_ERROR = 2,   /* a motion that began had to stop */
  TAUT_STOPPED = 3,     /* by taut_stop() */
  TAUT_MISUSE = 4,      /* NULL, a wrong count, a constant that is none */
  TAUT_BUSY = 5,        /* another thread, or a function further up, is using the handle */
  TAUT_INTERNAL = 6     /* no memory; or a fault of taut: please report it */
} taut_status;

/* What is wrong, and where: each text may be "", line and column 0, where there is nothing to say. */
typedef struct taut_problem {
  const char* file;
  int32_t line, column;
  const char* key; /* "cables[3].stiffness" */
  const char* message;
} taut_problem;

typedef struct taut_error {
  int32_t status;
  const char* message; /* all of it in one text */
  double time;         /* s, where a motion stopped; else NaN */
  int64_t count;       /* of problems */
  const taut_problem* problems;
} taut_error;

/* The last error of this thread; valid until its next one. Never NULL; before any error its status is TAUT_OK. */
TAUT_API const taut_error* taut_last_error(void);
TAUT_API const char* taut_error_message(void); /* its message */

/* ---- Models ---- */

typedef struct taut_model taut_model;

/* From a file; from a text, where `name` is what errors mention and what relative paths start from; from [generate] with
 * that kind. `set` are `count` texts "key.path=value" that win over the file, as --set of the program; parameters of a
 * generator are "rod_length=1". NULL and 0: none. */
TAUT_API int taut_load(const char* file, const char* const* set, int64_t count, taut_model** model);
TAUT_API int taut_loads(const char* text, const char* name, const char* const* set, int64_t count, taut_model** model);
TAUT_API int taut_generate(const char* kind, const char* const* set, int64_t count, taut_model** model);
TAUT_API void taut_model_free(taut_model* model);

/* A value by its key path, as --set and sweeps know it: "cables.*.stiffness", "simulation.step", "environment.gravity".
 * The text is a TOML value or a bare word. A value that the model cannot have is refused, and changes nothing. */
TAUT_API int taut_model_set(taut_model* model, const char* key, const char* value);
TAUT_API int taut_model_set_number(taut_model* model, const char* key, double value);
/* As TOML, "" where the key has no value; with "*" a list. The text is valid until the next call with this model. */
TAUT_API int taut_model_get(taut_model* model, const char* key, const char** text);
/* Numbers and lists of numbers, one after another: 3 of "nodes.a.at", 3 per node of "nodes.*.at", none where the key has
 * no value. `count` (may be NULL) becomes how many there are. TAUT_MISUSE where they are more than `size`, but for
 * values = NULL and size = 0, which asks for the count alone. */
TAUT_API int taut_model_get_numbers(taut_model* model, const char* key, double* values, int64_t size, int64_t* count);

/* What there are names of: entities of the model, and columns of arrays. */
typedef enum taut_kind {
  TAUT_KIND_NODE = 0,
  TAUT_KIND_BAR = 1,
  TAUT_KIND_CABLE = 2,
  TAUT_KIND_BODY = 3,
  TAUT_KIND_JOINT = 4,
  TAUT_KIND_PULLEY = 5,
  TAUT_KIND_FRAME = 6,
  TAUT_KIND_SUPPORT = 7,  /* nodes with a fixed axis: those of TAUT_SUPPORT_FORCES */
  TAUT_KIND_ENERGY = 8,   /* columns of TAUT_ENERGY */
  TAUT_KIND_JOINTS = 9,   /* columns of TAUT_JOINTS */
  TAUT_KIND_CONTROLS = 10 /* columns of TAUT_CONTROLS */
} taut_kind;

TAUT_API int64_t taut_model_count(taut_model* model, int kind);
/* Valid until the next call of taut_model_name() with this model. */
TAUT_API const char* taut_model_name(taut_model* model, int kind, int64_t index);
/* The nodes of a bar or a cable along it, into `nodes`; returns how many. -1 where they are more than `size`, but for
 * nodes = NULL and size = 0, which asks for their number alone. */
TAUT_API int64_t taut_model_path(taut_model* model, int kind, int64_t index, int64_t* nodes, int64_t size);
/* The whole as a model file. Valid until the next call with this model. */
TAUT_API int taut_model_toml(taut_model* model, const char** text);

/* As `taut check`. */
typedef struct taut_balance {
  double imbalance;  /* largest net force on a node, over the mean member force */
  double mean_force; /* N, of members */
  int32_t balanced;  /* 1 where the imbalance is no more than rounding of files */
  int32_t slack;     /* cables without tension */
  int32_t degrees_of_freedom;
  int32_t parts; /* that nothing connects */
} taut_balance;
TAUT_API int taut_model_check(taut_model* model, taut_balance* balance);

typedef enum taut_stability {
  TAUT_NO_SELF_STRESS = 0,
  TAUT_UNSTABLE = 1,
  TAUT_PRESTRESS_STABLE = 2,
  TAUT_SUPER_STABLE = 3
} taut_stability;
/* As `taut statics`. */
typedef struct taut_counts {
  int32_t self_stress_states, mechanisms, rigid_motions;
  int32_t rank;          /* of the equilibrium matrix */
  int32_t stability;     /* a taut_stability; of a machine with its drives held */
  int32_t sign_feasible; /* 1 where a self-stress keeps every cable in tension */
} taut_counts;
TAUT_API int taut_model_statics(taut_model* model, taut_counts* counts);
/* The lowest natural frequencies, Hz, ascending, below 0 where the start shape is unstable; `found` (may be NULL) becomes
 * how many there are, `size` at most. */
TAUT_API int taut_model_modes(taut_model* model, double* frequencies, int64_t size, int64_t* found);

/* ---- Simulations: a model that is stepped ---- */

typedef struct taut_simulation taut_simulation;

/* At t = 0, with the integrator, step, formulation, ... that the model has under "simulation". */
TAUT_API int taut_simulation_new(taut_model* model, taut_simulation** sim);
TAUT_API void taut_simulation_free(taut_simulation* sim);

/* What can be commanded: rest lengths, m, and torques, N m or N. */
TAUT_API int64_t taut_input_count(taut_simulation* sim);
TAUT_API const char* taut_input_name(taut_simulation* sim, int64_t index); /* valid as long as the simulation */
TAUT_API int64_t taut_input_index(taut_simulation* sim, const char* name);

/* Rest lengths move there at constant speed within `over`, s; 0: they jump. Torques are set at once. All inputs: `count`
 * must be their number; where one value is refused none is set. */
TAUT_API int taut_command(taut_simulation* sim, const double* values, int64_t count, double over);
TAUT_API int taut_command_one(taut_simulation* sim, int64_t index, double value, double over);

/* What a control function sees at one instant; valid during the call. */
typedef struct taut_observation {
  double time; /* s */
  int64_t node_count, cable_count, joint_count, input_count, memory_count;
  const double* nodes;                                            /* m, 3 per node */
  const double* velocities;                                       /* m/s */
  const double *tensions, *lengths, *length_rates, *rest_lengths; /* per cable; N, m, m/s, m */
  const double* joints;                                           /* joint_count numbers: the columns of TAUT_JOINTS */
  const double* contact_forces; /* N, 3 per node; NULL where there is no ground and nothing collides */
} taut_observation;
/* Sets commands[i] to what input i is to be, reached at the next instant; at first those of the last instant, NaN: not
 * touched yet, and left alone. `memory`: memory_count numbers of its own, part of the state, 0 at first. A result other
 * than 0 ends the motion with TAUT_RUN_ERROR. It must return: no exception, no longjmp. */
typedef int (*taut_control_function)(void* user, const taut_observation* now, double* commands, double* memory);
typedef struct taut_controller {
  taut_control_function function;
  void* user;
  double rate;    /* instants per second */
  double speed;   /* m/s, the most by which a rest length changes; 0: no limit */
  int64_t memory; /* numbers to remember, up to TAUT_MOST_MEMORY */
} taut_controller;
#define TAUT_MOST_MEMORY 1000000
/* The controller from now on, in place of the one before; `user` must live as long as the simulation. */
TAUT_API int taut_control(taut_simulation* sim, const taut_controller* controller);

/* Goes on by dt > 0, s. TAUT_RUN_ERROR: it cannot go on, and is as before the call. TAUT_STOPPED: taut_time() says how far
 * it came. */
TAUT_API int taut_advance(taut_simulation* sim, double dt);
TAUT_API double taut_time(taut_simulation* sim);

typedef enum taut_quantity {
  TAUT_T = 0,                 /* s; of runs */
  TAUT_NODES = 1,             /* m, 3 per node */
  TAUT_VELOCITIES = 2,        /* m/s, 3 per node */
  TAUT_TENSIONS = 3,          /* N, per cable */
  TAUT_LENGTHS = 4,           /* m, per cable */
  TAUT_REST_LENGTHS = 5,      /* m, per cable */
  TAUT_BAR_FORCES = 6,        /* N, per bar, tension positive */
  TAUT_ENERGY = 7,            /* J: kinetic, elastic, gravity, contact, dissipated, work, balance */
  TAUT_CONTACT_FORCES = 8,    /* N, 3 per node; none without ground and collisions */
  TAUT_SUPPORT_FORCES = 9,    /* N, 3 per node with a fixed axis */
  TAUT_BAR_LENGTHS = 10,      /* m, per driven bar */
  TAUT_BAR_REST_LENGTHS = 11, /* m, per driven bar */
  TAUT_JOINTS = 12,           /* by TAUT_KIND_JOINTS */
  TAUT_FRAMES = 13,           /* per frame: x, y, z, m, yaw, pitch, roll, rad */
  TAUT_BODIES = 14,           /* 7 per body: position, quaternion */
  TAUT_CONTROLS = 15,         /* by TAUT_KIND_CONTROLS; of runs */
  TAUT_CONSTRAINT_ERROR = 16  /* m, largest violation of a constraint */
} taut_quantity;

/* The present values without a copy; valid until the next call that changes the simulation. `count` (may be NULL) becomes
 * how many there are; where there are none, the pointer is not NULL either. */
TAUT_API const double* taut_array(taut_simulation* sim, int quantity, int64_t* count);
/* The same into the caller's memory; `size` must be their number. */
TAUT_API int taut_read(taut_simulation* sim, int quantity, double* values, int64_t size);

/* All that a simulation is at one time: a value that goes back into it, or into another one of the same model, and from
 * which it goes on as it did the first time, to the last bit. */
typedef struct taut_snapshot taut_snapshot;
TAUT_API int taut_snapshot_new(taut_simulation* sim, taut_snapshot** snapshot);
TAUT_API void taut_snapshot_free(taut_snapshot* snapshot);
TAUT_API int taut_restore(taut_simulation* sim, const taut_snapshot* snapshot);
TAUT_API int taut_reset(taut_simulation* sim); /* to t = 0 */
/* To keep it in a file, for this version of taut. `count` (may be NULL) becomes the number of bytes. TAUT_MISUSE where
 * they are more than `size`, but for bytes = NULL and size = 0, which asks for the count alone. */
TAUT_API int taut_snapshot_to_bytes(const taut_snapshot* snapshot, void* bytes, int64_t size, int64_t* count);
TAUT_API int taut_snapshot_from_bytes(const void* bytes, int64_t size, taut_snapshot** snapshot);

/* Ends the present call of taut_advance(), or the next one where there is none, with TAUT_STOPPED. From any thread and
 * from signal handlers, while the simulation is not being freed. */
TAUT_API void taut_stop(taut_simulation* sim);

/* ---- Runs: a whole motion in memory ---- */

typedef struct taut_run taut_run;

/* From t = 0 to `duration`, s; 0: what the model says. `controller` may be NULL. With TAUT_RUN_ERROR and TAUT_STOPPED
 * there is a run as well, with the rows up to then; with every other error *run is NULL. */
TAUT_API int taut_simulate(taut_model* model, double duration, const taut_controller* controller, taut_run** run);
TAUT_API void taut_model_stop(taut_model* model);         /* as taut_stop(), of taut_simulate() */
TAUT_API int taut_open(const char* file, taut_run** run); /* run.h5, as `taut run` writes it */
TAUT_API int taut_run_save(taut_run* run, const char* file);
TAUT_API void taut_run_free(taut_run* run);

typedef enum taut_run_end { TAUT_DONE = 0, TAUT_FAILED = 1, TAUT_INTERRUPTED = 2 } taut_run_end;
TAUT_API int taut_run_status(taut_run* run); /* a taut_run_end; -1 where run is NULL */
TAUT_API int64_t taut_run_rows(taut_run* run);
/* All rows, one after another, `width` (may be NULL) numbers each; valid as long as the run. Where the run has none, the
 * width is 0 and the pointer is not NULL. */
TAUT_API const double* taut_run_array(taut_run* run, int quantity, int64_t* width);
TAUT_API const char* taut_run_summary(taut_run* run);           /* as summary.json; valid as long as the run */
TAUT_API int taut_run_model(taut_run* run, taut_model** model); /* as it was run */

#ifdef __cplusplus
}
#endif

#endif
