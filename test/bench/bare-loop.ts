import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import type { FleetTarget } from './fleet-host.ts';
import { median } from './rounds.ts';

const run = promisify(execFile);

const SOURCE = fileURLToPath(new URL('./bare-loop.c', import.meta.url));
const IN_FLIGHT = 500;
const SWEEPS = 7;

/** Asks A2S servers, and no more than that, in C. */
export class BareLoop {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Compiles it; undefined where there is no C compiler, or another system than Linux. */
  static async build(): Promise<BareLoop | undefined> {
    if (process.platform !== 'linux') return undefined;
    const program = join(scratchDirectory(), 'bare-loop');
    try {
      await run('cc', ['-O2', '-o', program, SOURCE]);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    return new BareLoop(program);
  }

  /** CPU of this process for each server, in microseconds: the median of a few sweeps. Rejects where one is silent. */
  async cpuEach(targets: readonly FleetTarget[]): Promise<number> {
    const asked = run(this.#program, [String(IN_FLIGHT), String(SWEEPS)]);
    asked.child.stdin?.end(targets.map(({ address, port }) => `${address} ${port}\n`).join(''));
    const { stdout } = await asked;
    return median(stdout.trim().split('\n').map(Number)) ?? Number.NaN;
  }
}
