import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTargetUrl } from '../../../core/webhooks/target-url.ts';
import { TargetPolicy } from '../../../net/targets.ts';

test('an IPv4-mapped IPv6 address in a webhook URL is replaced by the IPv4 address, because gsq sends no requests to the mapped form', () => {
  const policy = new TargetPolicy(['10.0.0.0/8']);
  const urlOf = (text: string): unknown => checkTargetUrl(text, policy);
  assert.deepEqual(urlOf('https://[::ffff:8.8.8.8]/a?b'), { url: 'https://8.8.8.8/a?b' });
  assert.deepEqual(urlOf('http://[::ffff:10.0.0.1]:8080/'), { url: 'http://10.0.0.1:8080/' });
  assert.match(String(urlOf('https://[::ffff:127.0.0.1]/')), /Nothing is sent to this address/);
  assert.deepEqual(urlOf('https://[2606:4700::1]/'), { url: 'https://[2606:4700::1]/' });
  assert.deepEqual(urlOf('https://a.example.:8443/'), { url: 'https://a.example.:8443/' });
});
