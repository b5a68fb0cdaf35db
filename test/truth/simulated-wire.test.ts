import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatagramEvents, DatagramSocket } from '../../prober/transport/datagram-socket.ts';
import { Random } from './random.ts';
import { AnswerLimit, FIRST_PORT, SimulatedHost, SimulatedNetwork } from './simulated-host.ts';
import { SimulatedWire } from './simulated-wire.ts';
import { VirtualClock } from './virtual-clock.ts';

const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const CHALLENGE_KIND = 0x41;

/** A wire to one host with one server, and a socket on it. */
async function wireTo(loss = 0) {
  const clock = new VirtualClock();
  const random = new Random(1);
  const wire = new SimulatedWire(clock, random, loss);
  const host = new SimulatedHost(new SimulatedNetwork(true), '45.0.0.1', 1, random);
  wire.add(host);
  const [server] = host.servers;
  assert.ok(server);
  const heard = { replies: 0, rejections: 0 };
  const events: DatagramEvents = {
    received: datagram => {
      assert.equal(datagram[4], CHALLENGE_KIND);
      heard.replies++;
    },
    rejected: () => heard.rejections++,
    unsent: assert.fail,
    warn: assert.fail,
  };
  const socket: DatagramSocket = await wire.bind({ family: 'udp4', receiveBuffer: 1, events });
  const endpoint = { address: host.address, key: host.key, port: FIRST_PORT };
  /** Sends so many packets, so far apart, and lets the last answer come. */
  const ask = async (
    packets = 1,
    gapMs = (): number => 1_000,
  ): Promise<{ replies: number; rejections: number }> => {
    Object.assign(heard, { replies: 0, rejections: 0 });
    for (let i = 0; i < packets; i++) {
      socket.send(INFO, endpoint);
      await clock.run(clock.now + gapMs());
    }
    await clock.run(clock.now + 1_000);
    return { ...heard };
  };
  return { clock, wire, host, server, ask };
}

test('a packet is lost by itself on its way there or back', async () => {
  const { ask } = await wireTo(0.2);
  const { replies } = await ask(10_000);
  // 0.8 of 0.8; ten times the standard deviation off would be a defect.
  assert.ok(Math.abs(replies - 6_400) < 480, String(replies));
});

test('a server that is up answers, one that stands still or is gone is silent, a box answers challenges', async () => {
  const { server, ask } = await wireTo();
  assert.deepEqual(await ask(), { replies: 1, rejections: 0 });
  server.mode = 'frozen';
  assert.deepEqual(await ask(), { replies: 0, rejections: 0 });
  server.end('gone', 0);
  assert.deepEqual(await ask(), { replies: 0, rejections: 0 });
  server.end('boxed', 0);
  assert.deepEqual(await ask(), { replies: 1, rejections: 0 });
});

test('a host may say that nothing listens where a server ended', async () => {
  const { host, server, ask } = await wireTo();
  server.end('ended', 0);
  assert.deepEqual(await ask(), { replies: 0, rejections: host.refuses ? 1 : 0 });
});

test('nothing comes through while our own line is out or the host is deaf', async () => {
  const { clock, wire, host, ask } = await wireTo();
  wire.isOut = true;
  assert.equal((await ask()).replies, 0);
  wire.isOut = false;
  host.deafUntil = clock.now + 10_000;
  assert.equal((await ask()).replies, 0);
  await clock.run(host.deafUntil);
  assert.equal((await ask()).replies, 1);
});

test('what is on its way when a line goes out is lost too', async () => {
  const { clock, wire, ask } = await wireTo();
  clock.at(1, () => {
    wire.isOut = true;
  });
  assert.equal((await ask()).replies, 0);
});

test('a share of packets is rejected, and those are lost', async () => {
  const { host, ask } = await wireTo();
  host.rejects = 0.3;
  const { replies, rejections } = await ask(10_000);
  assert.equal(replies + rejections, 10_000);
  assert.ok(Math.abs(rejections - 3_000) < 460, String(rejections));
});

test('a host that answers four packets a second shares them with its other clients', async () => {
  const { host, ask } = await wireTo();
  host.limit = new AnswerLimit(new Random(2));
  const random = new Random(3);
  const { replies } = await ask(8_000, () => random.gap(250));
  // Eight packets a second come, half of them ours.
  assert.ok(replies > 3_600 && replies < 4_400, String(replies));
});

test('the most packets within any one second are counted, over all servers of a host and of a /24', async () => {
  const { host, ask } = await wireTo();
  await ask(10, () => 400);
  assert.deepEqual([host.rate.most, host.network.rate.most, host.packets], [3, 3, 10]);
});

test('a silence begins with the first packet that was not answered with a status', async () => {
  const { clock, server, ask } = await wireTo();
  await clock.run(5_000);
  await ask(2);
  // The wire brought challenges, which a box before the server may have sent.
  assert.equal(server.silentSince, 5_000);
});
