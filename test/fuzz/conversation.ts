import type { RawStatus } from '../../prober/answers/raw-status.ts';
import type { ExchangeContext, Protocol, Step } from '../../prober/protocols/protocol.ts';
import type { FleetServer, Responder } from '../fleet/responder.ts';

/**
 * Function that changes the replies of a server before the parser receives them. It can drop, change or add replies.
 */
export type ReplyMutation = (replies: readonly Buffer[]) => readonly Buffer[];

/** Result of one simulated query of a fake game server. */
export interface Conversation {
  /** Result with which the parser ended the query; undefined if the parser still waits for more replies. */
  end: Exclude<Step, { kind: 'more' | 'send' }> | undefined;
  /**
   * The parsed status: the final status if the parser has finished, or the partial status if it still waits for
   * replies.
   */
  status: RawStatus | undefined;
  /** Number of replies that the parser of a protocol received. */
  replies: number;
  /** Longest time that the parser of a protocol took for one reply, in milliseconds. */
  slowestMs: number;
  packetsSent: number;
}

/** Maximum number of packets that one query is allowed to send, whatever the server replies (docs/etiquette.md). */
const MAX_PACKETS = 3;
const MAX_TURNS = 12;

/**
 * Runs a query of a protocol against a fake server, until the query ends or waits for a reply that the fake server does
 * not send. Throws if a query over UDP sends too many packets.
 */
export function converse(
  protocol: Protocol,
  responder: Responder,
  server: FleetServer,
  context: ExchangeContext,
  mutateReplies: ReplyMutation = replies => replies,
): Conversation {
  const exchange = protocol.open(context);
  const found: Conversation = { end: undefined, status: undefined, replies: 0, slowestMs: 0, packetsSent: 0 };
  const receive = (reply: Buffer): Step => {
    const began = performance.now();
    const step = exchange.receive(reply);
    found.slowestMs = Math.max(found.slowestMs, performance.now() - began);
    found.replies++;
    return step;
  };
  /**
   * Changes the replies of the fake server, and passes them to the protocol parser. Returns the packets that the parser
   * sends next.
   */
  const passReplies = (replies: readonly Buffer[]): Buffer[] => {
    const next: Buffer[] = [];
    for (const reply of mutateReplies(replies)) {
      const step = receive(reply);
      if (step.kind === 'send') next.push(...step.packets);
      else if (step.kind !== 'more') {
        found.end = step;
        return [];
      }
    }
    return next;
  };
  let packets = exchange.request();
  if (responder.transport === 'tcp' && responder.greeting)
    packets = [...packets, ...passReplies([responder.greeting])];
  for (let turn = 0; packets.length > 0 && !found.end && turn < MAX_TURNS; turn++) {
    found.packetsSent += packets.length;
    const replies =
      responder.transport === 'udp'
        ? packets.flatMap(packet => responder.respond(server, packet))
        : (responder.respond(server, Buffer.concat(packets)) ?? []);
    packets = passReplies(replies);
  }
  if (protocol.transport === 'udp' && found.packetsSent > MAX_PACKETS) {
    throw new Error(`${found.packetsSent} packets were sent, more than ${MAX_PACKETS}`);
  }
  found.status = found.end?.kind === 'done' ? found.end.status : found.end ? undefined : exchange.partial();
  return found;
}
