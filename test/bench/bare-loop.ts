import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compileC } from './c-program.ts';
import type { FleetTarget } from './fleet-member.ts';
import { median } from './rounds.ts';

const run = promisify(execFile);

const IN_FLIGHT = 500;
const SWEEPS = 7;

/** Asks A2S servers, and no more than that, in C. */
export class BareLoop {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Undefined where there is no C compiler, or another system than Linux. */
  static async build(): Promise<BareLoop | undefined> {
    const program = await compileC('bare-loop');
    return program === undefined ? undefined : new BareLoop(program);
  }

  /** CPU of this process for each server, in microseconds: the median of a few sweeps. Rejects where one is silent. */
  async cpuEach(targets: readonly FleetTarget[]): Promise<number> {
    const asked = run(this.#program, [String(IN_FLIGHT), String(SWEEPS)]);
    asked.child.stdin?.end(targets.map(({ address, port }) => `${address} ${port}\n`).join(''));
    const { stdout } = await asked;
    return median(stdout.trim().split('\n').map(Number)) ?? Number.NaN;
  }
}
