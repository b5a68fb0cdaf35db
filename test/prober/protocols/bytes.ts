// Builds replies field by field, as the pages of the protocols describe them.

export const bytes = (...parts: (number | string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map(part => {
      if (typeof part === 'number') return Buffer.from([part]);
      return typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    }),
  );

export const cstring = (text: string): Buffer => bytes(text, 0);
export const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
export const u16be = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

export function i32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeInt32LE(value);
  return out;
}

export function f32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return out;
}

export function u64(value: bigint): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(value);
  return out;
}

export const MESSAGE = Buffer.from('ffffffff', 'hex');
const SPLIT = Buffer.from('feffffff', 'hex');

export interface SourceInfo {
  protocol?: number;
  name?: string;
  map?: string;
  appId?: number;
  players?: number;
  maxplayers?: number;
  bots?: number;
  password?: number;
  ship?: Buffer;
  version?: string;
  /** The extra data flag and the data after it. */
  extra?: Buffer;
}

/** Builds A2S_INFO in the Source form. */
export function sourceInfo(info: SourceInfo = {}): Buffer {
  return bytes(
    MESSAGE,
    'I',
    info.protocol ?? 17,
    cstring(info.name ?? 'A server'),
    cstring(info.map ?? 'de_dust2'),
    cstring('cstrike'),
    cstring('Counter-Strike: Source'),
    u16(info.appId ?? 240),
    info.players ?? 0,
    info.maxplayers ?? 16,
    info.bots ?? 0,
    'dl',
    info.password ?? 0,
    1,
    info.ship ?? Buffer.alloc(0),
    cstring(info.version ?? '1.0.0.34'),
    info.extra ?? Buffer.alloc(0),
  );
}

/** Builds HLTV's A2S_INFO, in the older GoldSrc form; `behind` replaces the bots. */
export function hltvInfo(spectators: number, slots: number, behind: Buffer = Buffer.alloc(0)): Buffer {
  const texts = ['192.0.2.7:27020', 'HLTV', 'de_inferno', 'cstrike', 'Counter-Strike'].map(cstring);
  return bytes(MESSAGE, 'm', ...texts, spectators, slots, 48, 'pl', 0, 0, 0, behind);
}

/** Builds A2S_INFO in the older GoldSrc form; `mod` is the data after the mod byte 1. */
export function goldsrcInfo(players: number, mod?: Buffer): Buffer {
  return bytes(
    MESSAGE,
    'm',
    cstring('192.0.2.7:27015'),
    cstring('Old iron'),
    cstring('crossfire'),
    cstring('valve'),
    cstring('Half-Life'),
    players,
    32,
    47,
    'dl',
    1,
    mod ? bytes(1, mod) : 0,
    1,
    2,
  );
}

export interface ListedPlayer {
  name: string;
  score: number;
  time: number;
}

/** Builds A2S_PLAYER. */
export function playerReply(players: ListedPlayer[], tail: Buffer = Buffer.alloc(0)): Buffer {
  const list = players.map((player, i) =>
    bytes(i, cstring(player.name), i32(player.score), f32(player.time)),
  );
  return bytes(MESSAGE, 'D', players.length, ...list, tail);
}

export const challengeReply = (challenge: Buffer): Buffer => bytes(MESSAGE, 'A', challenge);

export type SplitLayout = 'source' | 'source-2006' | 'goldsrc';

/** Splits a reply into packets of `size` bytes. */
export function split(reply: Buffer, size: number, layout: SplitLayout, id = 7): Buffer[] {
  const total = Math.ceil(reply.length / size);
  return Array.from({ length: total }, (_, number) => {
    const payload = reply.subarray(number * size, (number + 1) * size);
    if (layout === 'goldsrc') return bytes(SPLIT, i32(id), (number << 4) | total, payload);
    return bytes(SPLIT, i32(id), total, number, layout === 'source' ? u16(size) : Buffer.alloc(0), payload);
  });
}

/** Builds the reply to getstatus: the info string and its player lines. */
export function quake3Status(info: Record<string, string>, players: string[]): Buffer {
  const infoString = Object.entries(info)
    .map(([key, value]) => `\\${key}\\${value}`)
    .join('');
  return bytes(MESSAGE, ['statusResponse', infoString, ...players, ''].join('\n'));
}

export const RAKNET_MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');

/** Builds RakNet's unconnected pong with `text` and, unless set, its true length. */
export function pong(nonce: bigint, text: string, length = Buffer.byteLength(text)): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(nonce);
  return bytes(0x1c, number, Buffer.alloc(8, 9), RAKNET_MAGIC, u16be(length), text);
}

/** Encodes a VarInt independently of the product's code, so that one bug cannot hide in both. */
export function varInt(value: number): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...out, rest]);
    out.push((rest % 128) + 128);
  }
}

/** Builds Minecraft's status packet; `tail` follows the text inside the packet. */
export function minecraftStatus(json: string, tail: Buffer = Buffer.alloc(0)): Buffer {
  const body = bytes(0, varInt(Buffer.byteLength(json)), json, tail);
  return bytes(varInt(body.length), body);
}
