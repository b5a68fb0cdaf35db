import { bytes } from '../../prober/protocols/bytes.ts';
import type { Responder } from '../responder.ts';

const QUESTION = Buffer.from([0xfe, 1]);

function word(text: string, most: number): Buffer {
  const cut = Buffer.from(text).subarray(0, most);
  return bytes(cut.length, cut);
}

function i32be(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeInt32BE(value | 0);
  return out;
}

/** Fake server that answers like Mindustry 7. It reports a player count, and a build number as its version. */
export const mindustry: Responder = {
  transport: 'udp',
  respond: ({ name, map, version, players, maxplayers }, request) => {
    if (!request.equals(QUESTION)) return [];
    const build = Number(version.replaceAll('.', '')) || -1;
    return [
      bytes(
        ...[word(name, 100), word(map, 64), i32be(players.length), i32be(12), i32be(build)],
        ...[word('official', 32), 1, i32be(maxplayers), word('a description', 100), word('custom', 50)],
      ),
    ];
  },
};
