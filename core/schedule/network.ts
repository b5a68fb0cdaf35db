import { networkOf } from '../../proto/network.ts';

/** The network a canonical `host:port` is in, written in no form that others read. A name stands for itself. */
export function networkOfServer(server: string): string {
  if (server.startsWith('[')) return networkOf(server.slice(1, server.lastIndexOf(':') - 1));
  // One pass takes a third of what a pattern does, and this is asked for every report.
  let dot = -1;
  for (let i = 0; ; i++) {
    const unit = server.charCodeAt(i);
    if (unit === COLON) return server.slice(0, dot);
    if (unit === DOT) dot = i;
    else if (!(unit >= ZERO && unit <= NINE)) return server.slice(0, server.lastIndexOf(':'));
  }
}

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const COLON = 0x3a;
