import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all, healthy, MINUTE, none, probeNetworks } from './outage-fleet.ts';

describe('a partial outage of the prober (some networks answer)', () => {
  const one = (network: number): boolean => network % 10 === 0;

  test('counts as over after 10 to 11 minutes, even if the other networks stay silent', () => {
    const fleet = healthy(200);
    const outAt = fleet.now;
    probeNetworks(fleet, 200, 60, one);
    assert.equal(fleet.outage.isOpen, true);
    probeNetworks(fleet, 200, 540, one);
    assert.equal(fleet.outage.isOpen, true);
    probeNetworks(fleet, 200, 60, one);
    assert.equal(fleet.outage.isOpen, false);
    assert.ok(fleet.outage.closedAt <= outAt + 11 * MINUTE);
    // In this test, the circuit breaker was open for ten minutes, because 90 % of the probes failed. Since it closed,
    // the detector counts 90 % as the usual share of failed probes. So the same share must not open the circuit breaker
    // again.
    assert.equal(probeNetworks(fleet, 200, 1_200, one).opened, false);
  });

  test('is detected even after a total outage of 20 minutes', () => {
    for (const networks of [4, 200, 1_000]) {
      const fleet = healthy(networks);
      probeNetworks(fleet, networks, 1_200, none);
      probeNetworks(fleet, networks, 120, all);
      assert.equal(fleet.outage.isOpen, false, `${networks} networks`);
      if (networks > 100)
        assert.equal(probeNetworks(fleet, networks, 60, one).opened, true, `${networks} networks`);
    }
  });

  test('is still detected after ten earlier total outages', () => {
    const fleet = healthy(200);
    for (let outage = 0; outage < 10; outage++) {
      probeNetworks(fleet, 200, 300, none);
      assert.equal(fleet.outage.isOpen, true, `outage ${outage}`);
      probeNetworks(fleet, 200, 120, all);
      assert.equal(fleet.outage.isOpen, false, `after outage ${outage}`);
    }
    // Earlier outages must not make the detector more or less sensitive: it must not report an outage if half of the
    // networks are silent, but must report one if nine tenths of the networks are silent.
    assert.equal(probeNetworks(fleet, 200, 60, network => network % 2 === 0).opened, false);
    probeNetworks(fleet, 200, 120, one);
    assert.equal(fleet.outage.isOpen, true);
  });
});
