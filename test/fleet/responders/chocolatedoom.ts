import { bytes, cstring, u16be } from '../../prober/protocols/bytes.ts';
import type { Responder } from '../responder.ts';

const QUESTION = Buffer.from([0, 13]);

/** Fake server that answers like Chocolate Doom 3. It reports a player count of at most 255, but no player names. */
export const chocolatedoom: Responder = {
  transport: 'udp',
  respond: ({ name, version, players, maxplayers }, request) => {
    if (!request.equals(QUESTION)) return [];
    const counts = [players.length, maxplayers].map(value => Math.min(value, 255));
    const words = [name, 'CHOCOLATE_DOOM_0'].map(word => cstring(word.replaceAll('\0', '')));
    return [
      bytes(
        ...[u16be(14), cstring(version.replaceAll('\0', '')), 0, ...counts, 4, 0],
        ...[words[0] ?? cstring(''), 1, words[1] ?? cstring('')],
      ),
    ];
  },
};
