import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairedRatio, studentT } from './ratio.ts';

test("Student's t agrees with printed tables", () => {
  // Two-sided 95 %, by degrees of freedom.
  for (const [degrees, t] of [
    [4, 2.776],
    [9, 2.262],
    [14, 2.145],
    [29, 2.045],
    [120, 1.98],
  ] as const) {
    assert.ok(Math.abs(studentT(degrees) / t - 1) < 0.004, `${degrees}: ${studentT(degrees)}`);
  }
});

test('a side that costs the same share less in every round has an interval of no width', () => {
  const { ratio, low, high } = pairedRatio([100, 200, 400], [80, 160, 320]);
  for (const figure of [ratio, low, high]) assert.ok(Math.abs(figure - 1.25) < 1e-9, String(figure));
});

test('the interval is that of the logarithms of the ratios', () => {
  // Logarithms -0.1, 0, 0.1, 0, 0: mean 0, standard error sqrt(0.02 / 4 / 5); t of 4 degrees 2.776.
  const before = [-0.1, 0, 0.1, 0, 0].map(Math.exp);
  const { ratio, low, high } = pairedRatio(before, [1, 1, 1, 1, 1]);
  assert.ok(Math.abs(ratio - 1) < 1e-9);
  assert.ok(Math.abs(Math.log(high) - 0.0878) < 0.0005, String(high));
  assert.ok(Math.abs(Math.log(low) + 0.0878) < 0.0005, String(low));
});
