import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';
import type { ProbeTarget } from '../../../prober/probes/probe-target.ts';
import { Probes } from '../../../prober/probes/probes.ts';
import { fastClock } from '../clock.ts';
import { sourceInfo } from '../protocols/bytes.ts';

/**
 * Returns functions that open probes and start fake servers on loopback. After the tests of the file, closes them and
 * calls the functions in `cleanups`.
 */
export function probesOnLoopback() {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  /**
   * Opens `Probes`, the part of the prober that probes servers. Its clock runs `speed` times as fast as real time.
   * Probes that use gamedig need real time, because the start of gamedig's worker thread has a time limit.
   */
  async function probes(speed = 25) {
    const clock = fastClock(speed);
    const prober = await Probes.open({
      warn: () => {},
      receiveBuffer: 64 * 1024,
      wheel: clock.wheel,
    });
    cleanups.push(() => prober.close(), clock.stop);
    return prober;
  }

  /** Starts a fake UDP server on loopback. It records the source port of each received packet. */
  async function server(answer: (socket: Socket, from: RemoteInfo, asked: number) => void) {
    const socket = createSocket('udp4');
    cleanups.push(() => socket.close());
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const askers: number[] = [];
    socket.on('message', (_, from) => answer(socket, from, askers.push(from.port)));
    return { port: socket.address().port, askers, socket };
  }

  /** Starts an A2S server on loopback. */
  const online = (name: string) =>
    server((socket, from) => socket.send(sourceInfo({ name }), from.port, from.address));
  /** Starts a server on loopback that never replies. */
  const mute = () => server(() => {});

  return { cleanups, probes, server, online, mute };
}

/** Returns a probe target on loopback: an A2S server with these query ports. `more` replaces fields of the target. */
export const target = (ports: number[], more: Partial<ProbeTarget> = {}): ProbeTarget => ({
  address: '127.0.0.1',
  host: 'play.example',
  ports,
  joinPort: 27015,
  protocol: 'a2s',
  gamedigId: 'counterstrike2',
  confirm: false,
  ...more,
});
