// The queries of Vice City Multiplayer (VC:MP): those of SA-MP, but with different magic bytes, and with the server
// version at the start of the info reply. Sources: opengsq/protocols/vcmp.py of
// https://github.com/opengsq/opengsq-python and `query_12` of https://github.com/tltneon/lgsl

import { decodeText } from './byte-reader.ts';
import type { Protocol } from './protocol.ts';
import { readCommonInfo, readShortText, type SampDialect, SampExchange } from './samp.ts';

const VERSION_BYTES = 12;

const dialect: SampDialect = {
  requestMagic: 'VCMP',
  replyMagic: 'MP04',
  readInfo: body => {
    // The version text of the server ends at a zero byte. Ignores the bytes after the zero, because they can be
    // garbage.
    const version = body.bytes(VERSION_BYTES);
    const end = version.indexOf(0);
    const { status, third } = readCommonInfo(body);
    return { ...status, map: third, version: decodeText(version.subarray(0, end < 0 ? undefined : end)) };
  },
  readPlayer: body => ({ name: readShortText(body) }),
  rules: false,
};

/** The protocol of Vice City Multiplayer. */
export const vcmp: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new SampExchange(dialect, context),
};
