import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compileC } from './c-program.ts';
import type { FleetTarget } from './fleet-member.ts';
import { median } from './rounds.ts';

const run = promisify(execFile);

const IN_FLIGHT = 500;
const SWEEPS = 7;

/**
 * Queries A2S servers with bare-loop.c, a minimal C program. The CPU time of the C program is the lower bound for the
 * CPU time of a query.
 */
export class BareLoop {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /**
   * Compiles bare-loop.c, the C program that queries game servers. Resolves to undefined if the machine has no C
   * compiler or does not run Linux.
   */
  static async build(): Promise<BareLoop | undefined> {
    const program = await compileC('bare-loop');
    return program === undefined ? undefined : new BareLoop(program);
  }

  /**
   * Resolves to the CPU time of one query by the C program bare-loop.c, in microseconds (median over several sweeps of
   * all servers). Rejects if a server does not answer.
   */
  async cpuEach(targets: readonly FleetTarget[]): Promise<number> {
    const execution = run(this.#program, [String(IN_FLIGHT), String(SWEEPS)]);
    execution.child.stdin?.end(targets.map(({ address, port }) => `${address} ${port}\n`).join(''));
    const { stdout } = await execution;
    return median(stdout.trim().split('\n').map(Number)) ?? Number.NaN;
  }
}
