import { a2s } from '../../../prober/protocols/a2s.ts';
import type { DatagramExchange, Protocol } from '../../../prober/protocols/protocol.ts';
import type { ListedPlayer } from './bytes.ts';
import { openDatagrams } from './exchange.ts';

/** Bytes of the A2S_INFO request without a challenge, as hexadecimal digits. */
export const INFO = 'ffffffff54536f7572636520456e67696e6520517565727900';
/** The challenge that the servers in the A2S tests demand. */
export const CHALLENGE: Buffer = Buffer.from('0a0b0c0d', 'hex');
/** A player on the servers in the A2S tests. */
export const ANN: ListedPlayer = { name: 'Ann', score: 12, time: 61.5 };

/** Returns an A2S query that has already made its first request, and now waits for the reply. */
export function openA2s(protocol: Protocol = a2s): DatagramExchange {
  const exchange = openDatagrams(protocol);
  exchange.request();
  return exchange;
}

/** Returns the bytes of each packet that a query sends, as hexadecimal digits. */
export const hex = (packets: Buffer[]): string[] => packets.map(packet => packet.toString('hex'));
