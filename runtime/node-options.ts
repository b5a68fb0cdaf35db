/**
 * Options of Node that a service process is started with, as the scripts of package.json do. Measurements are in
 * docs/performance.md.
 */
export const nodeOptions = {
  core: [
    // Reading a million servers leaves garbage that is then the process's for good: up to 70 MiB in V8's default of 16 MiB.
    '--max-semi-space-size=8',
  ],
  prober: [
    // Of a million probes a minute hundreds are always under way: a quarter less CPU each than in V8's default of 16 MiB.
    '--max-semi-space-size=64',
    // Helpers that share out what is young take more CPU than they save where all cores are busy.
    '--no-parallel-scavenge',
  ],
  gateway: [
    // With thousands of connections a request lives until hundreds of others are read. In 16 MiB, V8's default, that is long
    // enough for the old generation, and a fifth of the time goes into collecting it.
    '--max-semi-space-size=32',
    // V8 would let a heap this small grow to four times what is alive in it, and an idle process keeps it. What is received
    // counts too: at 1.3 times, large answers have all of it marked seven times a second, a tenth of the gateway's time.
    '--heap-growing-percent=200',
    // What an overload leaves is collected when it is over, and what piles up once a minute (release-memory.ts).
    '--expose-gc',
  ],
} as const satisfies Record<string, readonly string[]>;
