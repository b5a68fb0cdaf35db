import type { Player } from '../generated/gsq/v1/Player.ts';
import type { ServerPayload } from '../generated/gsq/v1/ServerPayload.ts';
import type { ByteWriter } from './byte-writer.ts';

/** Writes the fields of a gsq.v1.ServerPayload, without `updated`, which the core sets. */
export function writePayload(writer: ByteWriter, payload: ServerPayload): void {
  writer.textField(1, payload.name ?? '');
  writer.textField(2, payload.map ?? '');
  if (payload.players !== undefined) writer.optionalUintField(3, payload.players);
  if (payload.maxplayers !== undefined) writer.optionalUintField(4, payload.maxplayers);
  writer.uintField(5, payload.numbots ?? 0);
  writer.uintField(6, payload.password ? 1 : 0);
  writer.textField(7, payload.version ?? '');
  writer.uintField(8, payload.ping ?? 0);
  writer.textField(9, payload.connect ?? '');
  for (const player of payload.playerList ?? []) writePlayer(writer, player);
}

function writePlayer(writer: ByteWriter, { name = '', score = 0, time = 0 }: Player): void {
  // A UTF-16 unit is at most three bytes, and the rest at most 22.
  const start = writer.open(11, 22 + name.length * 3);
  writer.textField(1, name);
  writer.intField(2, score);
  writer.uintField(3, time);
  writer.close(start);
}
