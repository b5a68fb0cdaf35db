import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FleetServer } from '../fleet/responder.ts';
import { responders } from '../fleet/responders.ts';
import { compileC } from './c-program.ts';
import { type FleetMember, type FleetTarget, fleetMembers, targetOf } from './fleet-member.ts';

const PORT = 27_015;
const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
/** Offset of the challenge in the challenge reply of an A2S server, bytes. */
const CHALLENGE_AT = 5;
const STATUS = Buffer.from('\xff\xff\xff\xffgetstatus\n', 'latin1');
/** Key of the challenge string in a Quake 3 status reply. The server repeats the challenge string of the request. */
const CHALLENGE_KEY = '\\challenge\\';

/**
 * Functions that return the fixed replies of a fake server, keyed by protocol. The replies are hexadecimal, as
 * bare-crowd.c reads them.
 */
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

/** Ids of the protocols that the fake servers of bare-crowd.c (a C program) support. */
export type BareProtocol = keyof typeof replies;

/**
 * Fake game servers that a C program simulates. The C program uses less CPU than Node would, so more CPU is left for
 * the measured process.
 */
export class BareCrowd {
  readonly targets: readonly FleetTarget[];
  readonly #program: ChildProcess;
  /**
   * Kills the C program bare-crowd.c when this process ends without a call of `stop`, so that the port is free again.
   */
  readonly #kill = (): boolean => this.#program.kill();

  private constructor(targets: readonly FleetTarget[], program: ChildProcess) {
    this.targets = targets;
    this.#program = program;
    process.once('exit', this.#kill);
  }

  /**
   * Starts bare-crowd.c, the C program that simulates the game servers. Resolves to undefined if the machine has no C
   * compiler or does not run Linux.
   */
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

/**
 * Formats a fake server (its address and replies) as a line for the stdin of bare-crowd.c, the C program that simulates
 * the servers.
 */
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
