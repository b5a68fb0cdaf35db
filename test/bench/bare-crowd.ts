import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FleetServer } from '../fleet/responder.ts';
import { responders } from '../fleet/responders.ts';
import { compileC } from './c-program.ts';
import { type FleetMember, type FleetTarget, fleetMembers, targetOf } from './fleet-member.ts';

const PORT = 27_015;
const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
/** Offset of the challenge in an A2S challenge reply. */
const CHALLENGE_AT = 5;
const STATUS = Buffer.from('\xff\xff\xff\xffgetstatus\n', 'latin1');
/** Key in a Quake 3 reply; the server repeats the client's challenge after it. */
const CHALLENGE_KEY = '\\challenge\\';

/** Fixed replies of a fake server, in hexadecimal, in the input format of bare-crowd.c. */
const replies = {
  a2s: (reply: Reply) => {
    const demand = reply(INFO);
    const challenge = demand.subarray(CHALLENGE_AT);
    const known = [INFO, PLAYER].map(question => reply(Buffer.concat([question, challenge])));
    return [demand, ...known].map(packet => packet.toString('hex'));
  },
  quake3: (reply: Reply) => {
    const status = reply(STATUS);
    const repeatsAt = status.indexOf(CHALLENGE_KEY) + CHALLENGE_KEY.length;
    return [`${status.toString('hex', 0, repeatsAt)}_${status.toString('hex', repeatsAt)}`];
  },
};

type Reply = (question: Buffer) => Buffer;

/** Protocols that bare-crowd.c supports. */
export type BareProtocol = keyof typeof replies;

/**
 * Fake servers simulated by a C program, which uses less CPU than Node and leaves more to the measured
 * process.
 */
export class BareCrowd {
  readonly targets: readonly FleetTarget[];
  readonly #program: ChildProcess;
  /** Kills the program if this process ends without `stop`: the program would keep its port and a CPU core. */
  readonly #kill = (): boolean => this.#program.kill();

  private constructor(targets: readonly FleetTarget[], program: ChildProcess) {
    this.targets = targets;
    this.#program = program;
    process.once('exit', this.#kill);
  }

  /** Starts the C program; undefined without a C compiler or on another system than Linux. */
  static async start(protocol: BareProtocol, servers: number): Promise<BareCrowd | undefined> {
    const path = await compileC('bare-crowd');
    if (path === undefined) return undefined;
    const members = fleetMembers(0, servers, PORT);
    const program = spawn(path, [String(PORT)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(program, 'exit').then(([code]) => {
      throw new Error(`the C program that plays servers ended with ${code}`);
    });
    program.stdin.end(members.map(member => lineOf(protocol, member)).join(''));
    await Promise.race([once(program.stdout, 'data'), ended]);
    ended.catch(() => {});
    return new BareCrowd(members.map(targetOf), program);
  }

  async stop(): Promise<void> {
    const exit = once(this.#program, 'exit');
    process.off('exit', this.#kill);
    this.#kill();
    await exit;
  }
}

/** Formats a server as an input line of bare-crowd.c. */
function lineOf(protocol: BareProtocol, { address, server }: FleetMember): string {
  const [first = '', info = '-', player = '-'] = replies[protocol](question =>
    onlyReply(protocol, server, question),
  );
  return `${address} ${first} ${info} ${player}\n`;
}

function onlyReply(protocol: BareProtocol, server: FleetServer, question: Buffer): Buffer {
  const responder = responders.get(protocol);
  const [packet, ...more] = responder?.transport === 'udp' ? responder.respond(server, question) : [];
  if (!packet || more.length > 0)
    throw new Error(`a server of ${protocol} that does not answer in one packet`);
  return packet;
}
