// Written by npm run payload from proto/payload-fields.ts.
import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { PayloadReader, PLAYER_TAG, PlayerReader } from '../../proto/codec/payload.generated.ts';
import type { ServerView } from '../servers/server-view.ts';
import { writeSqlTime } from './iso-time.ts';
import { jsonTextRoom, Piece, writeJsonBytes, writeNumber, writePiece } from './json-text.ts';

const P_NAME = new Piece("{\"name\":");
const P_MAP = new Piece(",\"map\":");
const P_PLAYERS = new Piece(",\"players\":");
const P_MAXPLAYERS = new Piece(",\"maxplayers\":");
const P_NUMPLAYERS = new Piece(",\"numplayers\":");
const P_NUMBOTS = new Piece(",\"numbots\":");
const P_PASSWORD = new Piece(",\"password\":");
const P_VERSION = new Piece(",\"version\":");
const P_PING = new Piece(",\"ping\":");
const P_CONNECT = new Piece(",\"connect\":");
const P_UPDATED = new Piece(",\"updated\":");
const P_RAW_NUMBOTS = new Piece(",\"raw\":{\"numbots\":");
const P_END = new Piece("}");
const P_SCORE = new Piece(",\"score\":");
const P_TIME = new Piece(",\"time\":");
const TRUE = new Piece('true');
const FALSE = new Piece('false');
const CLOSE = 0x7d;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
/** Maximum size of the JSON data of a server, without its text values and without its players, bytes. */
const FIXED_ROOM = 524;
/** Maximum size of one player in the JSON data of a server, bytes. The name of the player is not counted. */
const PLAYER_ROOM = 113;

const payload = new PayloadReader();
const player = new PlayerReader();

/**
 * Appends the data of a server as a JSON object without its closing brace, because the caller appends `_updater`. An
 * optional number that the server did not report, such as `players`, has no key.
 */
export function writeData(out: ByteWriter, server: ServerView): void {
  // No key of the payload may be `server`, `address`, `host`, `ip`, `ip_port`, `status` or `online`, not even in
  // `raw`. Existing clients would read it instead of the address and the status in `_updater` (CONTRACT).
  payload.read(server.bytes, server.dataStart, server.dataEnd);
  const textBytes = server.dataEnd - server.dataStart + server.addressEnd - server.addressStart;
  const bytes = out.room(FIXED_ROOM + PLAYER_ROOM * payload.playerCount + jsonTextRoom(textBytes));
  const { view } = out;
  let at = out.length;
  at = writePiece(view, at, P_NAME);
  at = writeJsonBytes(bytes, view, at, server.bytes, server.view, payload.nameStart, payload.nameEnd);
  at = writePiece(view, at, P_MAP);
  at = writeJsonBytes(bytes, view, at, server.bytes, server.view, payload.mapStart, payload.mapEnd);
  if (payload.players >= 0) {
    at = writePiece(view, at, P_PLAYERS);
    at = writeNumber(bytes, at, payload.players);
  }
  if (payload.maxplayers >= 0) {
    at = writePiece(view, at, P_MAXPLAYERS);
    at = writeNumber(bytes, at, payload.maxplayers);
  }
  if (payload.players >= 0) {
    at = writePiece(view, at, P_NUMPLAYERS);
    at = writeNumber(bytes, at, payload.players);
  }
  at = writePiece(view, at, P_NUMBOTS);
  at = writeNumber(bytes, at, payload.numbots);
  at = writePiece(view, at, P_PASSWORD);
  at = writePiece(view, at, payload.password ? TRUE : FALSE);
  at = writePiece(view, at, P_VERSION);
  at = writeJsonBytes(bytes, view, at, server.bytes, server.view, payload.versionStart, payload.versionEnd);
  at = writePiece(view, at, P_PING);
  at = writeNumber(bytes, at, payload.ping);
  at = writePiece(view, at, P_CONNECT);
  if (payload.connectStart === payload.connectEnd)
    at = writeJsonBytes(bytes, view, at, server.addressBytes, server.addressView, server.addressStart, server.addressEnd);
  else at = writeJsonBytes(bytes, view, at, server.bytes, server.view, payload.connectStart, payload.connectEnd);
  at = writePiece(view, at, P_UPDATED);
  at = writeSqlTime(bytes, at, server.lastOnlineAt);
  at = writePiece(view, at, P_RAW_NUMBOTS);
  at = writeNumber(bytes, at, payload.numbots);
  at = writePiece(view, at, P_PLAYERS);
  at = writePlayers(bytes, view, at, server);
  at = writePiece(view, at, P_END);
  out.length = at;
}

function writePlayers(bytes: Buffer, view: DataView, start: number, server: ServerView): number {
  let at = start;
  bytes[at++] = OPEN_LIST;
  let from = payload.playerListStart;
  for (let left = payload.playerCount; left > 0; left--) {
    from = player.length(server.bytes, from + PLAYER_TAG, payload.playerListEnd);
    const end = from + player.value;
    player.read(server.bytes, from, end);
    from = end;
    at = writePiece(view, at, P_NAME);
    at = writeJsonBytes(bytes, view, at, server.bytes, server.view, player.nameStart, player.nameEnd);
    at = writePiece(view, at, P_SCORE);
    at = writeNumber(bytes, at, player.score);
    at = writePiece(view, at, P_TIME);
    at = writeNumber(bytes, at, player.time);
    bytes[at++] = CLOSE;
    if (left > 1) bytes[at++] = COMMA;
  }
  bytes[at++] = CLOSE_LIST;
  return at;
}
