import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Length of a tick in seconds. The kernel counts CPU times in ticks. */
const TICK_SECONDS = 0.01;
const POOL_THREADS = 4;

function threads(): string[] {
  return readdirSync('/proc/self/task');
}

/** Returns the CPU time of a thread of this process, in seconds. */
function cpuOfThread(thread: string): number {
  const text = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS;
}

/** CPU times of groups of threads, in seconds. */
export interface CpuSeconds {
  main: number;
  /** CPU time of LevelDB's thread for compaction. */
  compaction: number;
  /**
   * CPU time of all threads except the main thread and the compaction thread: mainly libuv's pool (writes of LevelDB)
   * and V8's garbage collection.
   */
  others: number;
}

/**
 * Measures the CPU times of three groups of threads (Linux only): `main`, `compaction` and `others`. Each thread that
 * starts after the call of `start` counts as `compaction`, because only LevelDB's compaction thread starts so late.
 */
export class ThreadCpu {
  readonly #known: ReadonlySet<string>;

  private constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /**
   * Prepares the measurement of CPU times. Each thread that starts later counts as LevelDB's compaction thread.
   * Therefore this function starts all threads of libuv's thread pool. Call it before LevelDB is used, so that the
   * compaction thread starts later.
   */
  static async start(): Promise<ThreadCpu> {
    await Promise.all(Array.from({ length: 4 * POOL_THREADS }, () => stat('/')));
    return new ThreadCpu(new Set(threads()));
  }

  get seconds(): CpuSeconds {
    const main = cpuOfThread(String(process.pid));
    const compaction = threads()
      .filter(thread => !this.#known.has(thread))
      .reduce((sum, thread) => sum + cpuOfThread(thread), 0);
    const { user, system } = process.cpuUsage();
    return { main, compaction, others: (user + system) / 1e6 - main - compaction };
  }
}
