import { bytes, u16be } from '../../prober/protocols/bytes.ts';
import type { Responder } from '../responder.ts';

const REQUEST = Buffer.from('0000010000', 'hex');
const REQUEST_BYTES = REQUEST.length + 4;
/** Maximum length of the version in a reply of a Necesse server, in characters. */
const MAX_VERSION = 64;

/**
 * Fake server that answers like Necesse 1.0.1. It reports at most 255 players and 255 player slots. The last field of
 * its reply contains the settings of the game.
 */
export const necesse: Responder = {
  transport: 'udp',
  respond: ({ players, maxplayers, password, version }, request) => {
    if (request.length !== REQUEST_BYTES || !request.subarray(0, REQUEST.length).equals(REQUEST)) return [];
    const counts = [players.length, maxplayers].map(value => Math.min(value, 255));
    const told = version.slice(0, MAX_VERSION);
    const settings = bytes(2, 1, 1, 0, Buffer.from('3f8000003f800000', 'hex'), Buffer.alloc(3 * 4));
    return [
      bytes(
        ...[0, 0, 0, request.subarray(REQUEST.length), Buffer.alloc(8, 7), ...counts],
        ...[0x4c | (password ? 1 : 0), Buffer.alloc(4, 9)],
        ...[u16be(told.length), Buffer.from(told, 'utf16le').swap16(), settings],
      ),
    ];
  },
};
