import type { RawStatus } from '../../prober/answers/raw-status.ts';
import type { ExchangeContext, Protocol, Step } from '../../prober/protocols/protocol.ts';
import type { FleetServer, Responder } from '../fleet/responder.ts';

/** Replies on their way to a parser: what is to be lost, changed or added. */
export type Meddle = (replies: readonly Buffer[]) => readonly Buffer[];

/** What came of asking a made-up server. */
export interface Conversation {
  /** The last step; undefined where the parser still waits when nothing more comes. */
  end: Exclude<Step, { kind: 'more' | 'send' }> | undefined;
  /** What the parser makes of it: the status it ended with, or what it knows so far. */
  status: RawStatus | undefined;
  /** Replies handed to the parser. */
  replies: number;
  /** The longest the parser took for one of them, ms. */
  slowestMs: number;
  packetsSent: number;
}

/** Packets an exchange may send, whatever it is told (docs/etiquette.md). */
const MAX_PACKETS = 3;
const MAX_TURNS = 12;

/** Lets a protocol's exchange ask a made-up server until one of them has no more to say. */
export function converse(
  protocol: Protocol,
  responder: Responder,
  server: FleetServer,
  context: ExchangeContext,
  meddle: Meddle = replies => replies,
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
  /** Hands replies over; the packets that are to be sent next. */
  const hear = (replies: readonly Buffer[]): Buffer[] => {
    const next: Buffer[] = [];
    for (const reply of meddle(replies)) {
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
    packets = [...packets, ...hear([responder.greeting])];
  for (let turn = 0; packets.length > 0 && !found.end && turn < MAX_TURNS; turn++) {
    found.packetsSent += packets.length;
    const replies =
      responder.transport === 'udp'
        ? packets.flatMap(packet => responder.respond(server, packet))
        : (responder.respond(server, Buffer.concat(packets)) ?? []);
    packets = hear(replies);
  }
  if (protocol.transport === 'udp' && found.packetsSent > MAX_PACKETS) {
    throw new Error(`${found.packetsSent} packets were sent, more than ${MAX_PACKETS}`);
  }
  found.status = found.end?.kind === 'done' ? found.end.status : found.end ? undefined : exchange.partial();
  return found;
}
