import { gamespy1 } from '../../../prober/protocols/gamespy1.ts';
import type { DatagramExchange } from '../../../prober/protocols/protocol.ts';
import { openDatagrams } from './exchange.ts';

/** Starts a query in the protocol GameSpy 1. */
export const openGamespy1 = (): DatagramExchange => openDatagrams(gamespy1);
/** Encodes a text as Latin-1. */
export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Keys and values of the server properties in a GameSpy 1 reply, without player counts and password flag. */
export const FACTS =
  '\\gamename\\ut\\gamever\\451\\hostname\\Dusty Attic\\hostport\\7777\\mapname\\DM-Fractal';
/** Player count and maximum number of players in a GameSpy 1 reply, with their keys. */
export const COUNTS = '\\numplayers\\2\\maxplayers\\16';
