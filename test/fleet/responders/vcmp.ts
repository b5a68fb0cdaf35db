import { bytes } from '../../prober/protocols/bytes.ts';
import type { Responder } from '../responder.ts';
import { infoBody, playersBody, readRequest } from './samp.ts';

const VERSION_BYTES = 12;

/** Fake server that answers like VC:MP, with the version truncated to VERSION_BYTES bytes. */
export const vcmp: Responder = {
  transport: 'udp',
  respond: (server, datagram) => {
    const request = readRequest(datagram, 'VCMP');
    if (request?.letter === 'i') {
      const version = Buffer.alloc(VERSION_BYTES);
      version.write(server.version);
      return [bytes('MP04', request.header, version, infoBody(server, server.map))];
    }
    const names = playersBody(server, ({ name }) => bytes(Buffer.byteLength(name), name));
    return request?.letter === 'c' && names ? [bytes('MP04', request.header, names)] : [];
  },
};
