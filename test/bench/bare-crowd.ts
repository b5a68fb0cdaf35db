import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { responder } from '../fleet/responders/a2s.ts';
import { compileC } from './c-program.ts';
import { type FleetMember, type FleetTarget, fleetMembers, targetOf } from './fleet-member.ts';

const PORT = 27_015;
const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
/** Where the reply that demands a challenge has it. */
const CHALLENGE_AT = 5;

/** A2S servers with challenges, played by a C program: less of the machine goes to the servers than to those who ask. */
export class BareCrowd {
  readonly targets: readonly FleetTarget[];
  readonly #program: ChildProcess;

  private constructor(targets: readonly FleetTarget[], program: ChildProcess) {
    this.targets = targets;
    this.#program = program;
  }

  /** Undefined where there is no C compiler, or another system than Linux. */
  static async start(servers: number): Promise<BareCrowd | undefined> {
    const path = await compileC('bare-crowd');
    if (path === undefined) return undefined;
    const members = fleetMembers(0, servers, PORT);
    const program = spawn(path, [String(PORT)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(program, 'exit').then(([code]) => {
      throw new Error(`the C program that plays servers ended with ${code}`);
    });
    program.stdin.end(members.map(lineOf).join(''));
    await Promise.race([once(program.stdout, 'data'), ended]);
    ended.catch(() => {});
    return new BareCrowd(members.map(targetOf), program);
  }

  async stop(): Promise<void> {
    const exit = once(this.#program, 'exit');
    this.#program.kill();
    await exit;
  }
}

/** A server as the program reads it: what it always answers. */
function lineOf({ address, server }: FleetMember): string {
  const reply = (question: Buffer): Buffer => {
    const [packet, ...more] = responder.transport === 'udp' ? responder.respond(server, question) : [];
    if (!packet || more.length > 0) throw new Error(`${address} does not answer in one packet`);
    return packet;
  };
  const demand = reply(INFO);
  const challenge = demand.subarray(CHALLENGE_AT);
  const replies = [demand, ...[INFO, PLAYER].map(question => reply(Buffer.concat([question, challenge])))];
  return `${[address, ...replies.map(packet => packet.toString('hex'))].join(' ')}\n`;
}
