import { readFileSync } from 'node:fs';

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

export interface Alert {
  name: string;
  expression: string;
  severity: string;
  /** Link from an alert to the section of docs/operations.md about this alert. */
  runbook: string;
}

/**
 * Reads the alerts in deploy/prometheus/alerts.yml. Supports only a simple form of YAML: each value is on one line,
 * with or without single quotes.
 */
export function readAlerts(): Alert[] {
  const rules = file('deploy/prometheus/alerts.yml')
    .split(/^ {6}- alert: /m)
    .slice(1);
  return rules.map(rule => {
    const value = (key: string): string => {
      const [, text] =
        new RegExp(`^ +${key}: (?:'(.*)'|(.*))$`, 'm').exec(rule)?.filter(part => part !== undefined) ?? [];
      if (text === undefined) throw new Error(`an alert without ${key}: ${rule}`);
      return text;
    };
    const [name = ''] = rule.split('\n');
    return { name, expression: value('expr'), severity: value('severity'), runbook: value('runbook') };
  });
}

/** Returns the jobs in deploy/prometheus/prometheus.yml, with the port that each job scrapes. */
export function readScrapeJobs(): { job: string; port: number }[] {
  const jobs = file('deploy/prometheus/prometheus.yml').matchAll(
    /^ {2}- job_name: (\S+)\n {4}static_configs:\n {6}- targets: \['127\.0\.0\.1:(\d+)'\]$/gm,
  );
  return [...jobs].map(([, job = '', port]) => ({ job, port: Number(port) }));
}

interface Panel {
  title: string;
  targets?: { expr: string; datasource: { uid: string } }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

export interface Dashboard {
  __inputs: { name: string; type: string; pluginId: string }[];
  uid: string;
  panels: (Panel & { id: number })[];
}

export function readDashboard(): Dashboard {
  return JSON.parse(file('deploy/grafana/gsq.json')) as Dashboard;
}

export const operationsPage = (): string => file('docs/operations.md');
