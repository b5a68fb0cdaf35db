import assert from 'node:assert/strict';
import type { RawStatus } from '../../../prober/answers/raw-status.ts';
import type {
  DatagramExchange,
  ExchangeContext,
  Protocol,
  Step,
  StreamExchange,
} from '../../../prober/protocols/protocol.ts';

/** The server and nonce of all queries in the protocol tests. */
export const CONTEXT: ExchangeContext = {
  host: 'play.example',
  address: '192.0.2.1',
  port: 25565,
  joinPort: 25565,
  nonce: 0x0102030405060708n,
};

/** Opens a query in a UDP protocol. Throws if the protocol uses TCP. */
export function openDatagrams(protocol: Protocol): DatagramExchange {
  assert.equal(protocol.transport, 'udp');
  if (protocol.transport !== 'udp') throw new TypeError('not a datagram protocol');
  return protocol.open(CONTEXT);
}

/**
 * Opens a query in a TCP protocol. `context` replaces fields of CONTEXT, the default server and nonce. Throws if the
 * protocol uses UDP.
 */
export function openStream(protocol: Protocol, context: Partial<ExchangeContext> = {}): StreamExchange {
  assert.equal(protocol.transport, 'tcp');
  if (protocol.transport !== 'tcp') throw new TypeError('not a stream protocol');
  return protocol.open({ ...CONTEXT, ...context });
}

/** Returns the server status that a query has read. Throws if the query has not ended with a status. */
export function statusOf(step: Step): RawStatus {
  assert.equal(step.kind, 'done', JSON.stringify(step));
  if (step.kind !== 'done') throw new TypeError('not done');
  return step.status;
}

/** Returns the packets that a query sends next. Throws if the query waits or ends instead. */
export function packetsOf(step: Step): Buffer[] {
  assert.equal(step.kind, 'send', JSON.stringify(step));
  if (step.kind !== 'send') throw new TypeError('nothing to send');
  return step.packets;
}
