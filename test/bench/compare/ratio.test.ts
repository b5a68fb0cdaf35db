import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairedRatio, studentT } from './ratio.ts';

test("studentT agrees with printed tables of Student's t to within 0.4 %", () => {
  // Rows from a printed table of Student's t distribution. Each row: degrees of freedom, and t for a two-sided
  // confidence level of 95 %.
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

test('pairedRatio() returns a confidence interval of width 0 if all measurement rounds have the same ratio', () => {
  const { ratio, low, high } = pairedRatio([100, 200, 400], [80, 160, 320]);
  for (const figure of [ratio, low, high]) assert.ok(Math.abs(figure - 1.25) < 1e-9, String(figure));
});

test('pairedRatio() computes the confidence interval on a logarithmic scale', () => {
  // Logarithms of the five before/after ratios of this test. Their mean is 0, and the sum of their squares is 0.02.
  const before = [-0.1, 0, 0.1, 0, 0].map(Math.exp);
  const { ratio, low, high } = pairedRatio(before, [1, 1, 1, 1, 1]);
  assert.ok(Math.abs(ratio - 1) < 1e-9);
  // The 95 % confidence interval of the mean logarithm is ±0.0878: Student's t for 4 degrees of freedom (2.776),
  // multiplied by the standard error sqrt(0.02 / 4 / 5) = 0.0316.
  assert.ok(Math.abs(Math.log(high) - 0.0878) < 0.0005, String(high));
  assert.ok(Math.abs(Math.log(low) + 0.0878) < 0.0005, String(low));
});
