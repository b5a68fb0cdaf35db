import { bytes } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const MAX_TEXT = 254;
const NAME = 0x01;
const SCORE = 0x08;
const PING = 0x10;
const TIME = 0x20;

/** Fake server that answers like games with the All-Seeing Eye protocol. */
export const ase: Responder = {
  transport: 'udp',
  respond: (server, request) => (request.toString('latin1') === 's' ? [reply(server)] : []),
};

function reply({ name, map, version, maxplayers, password, port, players }: FleetServer): Buffer {
  const counts = [players.length, maxplayers].map(String);
  const head = ['painkiller', String(port), name, 'dm', map, version, password ? '1' : '0', ...counts];
  const list = players.map(({ name, score, time }) =>
    bytes(NAME | SCORE | PING | TIME, ...[name, String(score), '48', String(time)].map(text)),
  );
  return bytes('EYE1', ...[...head, 'powerup', 'off', ''].map(text), ...list);
}

function text(value: string): Buffer {
  const content = Buffer.from(value).subarray(0, MAX_TEXT);
  return bytes(content.length + 1, content);
}
