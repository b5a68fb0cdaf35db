import { bytes, u16be } from '../../prober/protocols/bytes.ts';
import type { FleetServer, Responder } from '../responder.ts';

const GREETING = 'BZFLAG\r\n\r\n';
const QUESTIONS = '\0\0qg\0\0qp';
const MAX_PLAYERS = 255;

const message = (name: string, body: Buffer): Buffer => bytes(u16be(body.length), name, body);
const short = (value: number): Buffer => u16be(value & 0xffff);
const padded = (text: string, length: number): Buffer => {
  const field = Buffer.alloc(length);
  field.write(text, 0, length - 1);
  return field;
};

/** Fake server that answers like BZFlag 2.4, which reports neither name nor map nor version. */
export const bzflag: Responder = {
  transport: 'tcp',
  respond: (server, request) => {
    const asked = request.toString('latin1');
    if (asked === GREETING) return [bytes('BZFS0221', 1)];
    if (asked === QUESTIONS) return [answers(server)];
    return GREETING.startsWith(asked) || QUESTIONS.startsWith(asked) ? undefined : [];
  },
};

function answers({ players, maxplayers }: FleetServer): Buffer {
  const listed = players.slice(0, MAX_PLAYERS);
  const sizes = [listed.length, 0, 0, 0, 0, 0].map(short);
  const game = bytes(short(0), short(2), short(maxplayers), short(3), ...sizes, Buffer.alloc((6 + 6) * 2, 1));
  const teams = Array.from({ length: 5 }, (_, team) => bytes(short(team), short(0), short(0), short(0)));
  return bytes(
    message('qg', game),
    message('gt', Buffer.alloc(8)),
    message('qp', bytes(short(5), short(listed.length))),
    message('tu', bytes(teams.length, ...teams)),
    ...listed.map(({ name, score }, id) => {
      const numbers = bytes(id & 0xff, short(0), short(0), short(score + 5), short(5), short(0));
      return message('ap', bytes(numbers, padded(name, 32), padded('a motto', 128)));
    }),
  );
}
