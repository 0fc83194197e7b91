interface Sample {
  payload: unknown
  headers?: Record<string, string>
  title?: string
  markdown: string
}

/** What systems send, after their documentation, and what it is posted as. */
export const payloads: Record<string, Sample> = {
  'Grafana, contact point of type Slack': {
    payload: {
      channel: '#alerts',
      username: 'Grafana',
      attachments: [
        {
          title: '[FIRING:1] High CPU Servers (web-1)',
          title_link: 'https://grafana.example.com/alerting/list',
          text: '**Firing**\n\nValue: A=93.5, C=1\nLabels:\n - alertname = High CPU\n - instance = web_1\nAnnotations:\n - summary = CPU is above 90 %\nSource: https://grafana.example.com/alerting/grafana/abc_1/view?orgId=1\nSilence: https://grafana.example.com/alerting/silence/new?alertmanager=grafana&matcher=alertname%3DHigh+CPU\n',
          fallback: '[FIRING:1] High CPU Servers (web-1)',
          footer: 'Grafana v11.2.0',
          footer_icon: 'https://grafana.com/static/assets/img/fav32.png',
          color: '#D63232',
          ts: 1763344800,
          mrkdwn_in: ['pretext'],
        },
      ],
    },
    title: '🔴 [FIRING:1] High CPU Servers (web-1)',
    markdown: `**Firing**

Value: A=93.5, C=1
Labels:

- alertname = High CPU
- instance = web\\_1

Annotations:

- summary = CPU is above 90 %

Source: https://grafana.example.com/alerting/grafana/abc_1/view?orgId=1
Silence: https://grafana.example.com/alerting/silence/new?alertmanager=grafana&matcher=alertname%3DHigh+CPU

*Grafana v11.2.0 · 2025-11-17 02:00 UTC*

[Open](https://grafana.example.com/alerting/list)`,
  },

  'Alertmanager, slack_configs': {
    payload: {
      channel: '#ops',
      username: 'Alertmanager',
      link_names: false,
      attachments: [
        {
          title: '[FIRING:2] InstanceDown (node critical)',
          title_link: 'https://alertmanager.example.com/#/alerts?receiver=team',
          pretext: '<!channel> 2 alerts',
          text: '• `db-1:9100` is *down*\n• `db-2:9100` is *down*',
          fallback: '[FIRING:2] InstanceDown (node critical) | https://alertmanager.example.com/#/alerts?receiver=team',
          fields: [
            { title: 'Severity', value: 'critical', short: true },
            { title: 'Team', value: '<https://wiki.example.com/team|Platform &amp; data>', short: true },
          ],
          actions: [
            { type: 'button', text: 'Runbook :book:', url: 'https://wiki.example.com/runbook', name: '', value: '' },
            { type: 'button', text: 'Silence :no_bell:', url: 'https://alertmanager.example.com/#/silences/new' },
          ],
          footer: '',
          color: 'danger',
          mrkdwn_in: ['fallback', 'pretext', 'text'],
        },
      ],
    },
    title: '🔴 [FIRING:2] InstanceDown (node critical)',
    markdown: `@channel 2 alerts

- \`db-1:9100\` is **down**
- \`db-2:9100\` is **down**

**Severity:** critical
**Team:** [Platform \\& data](https://wiki.example.com/team)

[Runbook :book:](https://wiki.example.com/runbook) · [Silence 🔕](https://alertmanager.example.com/#/silences/new)

[Open](https://alertmanager.example.com/#/alerts?receiver=team)`,
  },

  'Uptime Kuma, Slack notification': {
    payload: {
      text: 'Uptime Kuma Alert\n[Website] [🔴 Down] connect ECONNREFUSED',
      channel: null,
      username: 'Uptime Kuma',
      icon_emoji: ':bell:',
      attachments: [
        {
          color: '#e01e5a',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: 'Uptime Kuma Alert' } },
            {
              type: 'section',
              fields: [
                { type: 'mrkdwn', text: '*Message*\n[🔴 Down] connect ECONNREFUSED' },
                { type: 'mrkdwn', text: '*Time (Europe/Berlin)*\n2026-11-17 03:00:00' },
              ],
            },
            {
              type: 'actions',
              elements: [
                {
                  type: 'button',
                  text: { type: 'plain_text', text: 'Visit Uptime Kuma' },
                  value: 'Uptime-Kuma',
                  url: 'https://status.example.com/dashboard/1',
                },
              ],
            },
          ],
        },
      ],
    },
    markdown: `Uptime Kuma Alert
\\[Website\\] \\[🔴 Down\\] connect ECONNREFUSED

> ### 🔴 Uptime Kuma Alert
>
> **Message**
> \\[🔴 Down\\] connect ECONNREFUSED
>
> **Time (Europe/Berlin)**
> 2026-11-17 03:00:00
>
> [Visit Uptime Kuma](https://status.example.com/dashboard/1)`,
  },

  'GitHub Actions, slackapi/slack-github-action': {
    payload: {
      text: 'Build failed',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Build of main failed', emoji: true } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: '*test* failed: <https://github.com/acme/shop/actions/runs/1|run 1>\nby `ada`',
          },
        },
      ],
    },
    title: 'Build of main failed',
    markdown: '**test** failed: [run 1](https://github.com/acme/shop/actions/runs/1)\nby `ada`',
  },

  'GitHub, webhook of a repository: push': {
    headers: { 'x-github-event': 'push' },
    payload: {
      ref: 'refs/heads/main',
      compare: 'https://github.com/acme/shop/compare/a1...b2',
      repository: { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' },
      pusher: { name: 'ada' },
      sender: { login: 'ada' },
      commits: [
        {
          id: 'b2c3d4e5f6a7',
          message: 'Fix *rounding*\n\nLong text',
          url: 'https://github.com/acme/shop/commit/b2c3d4e',
        },
      ],
    },
    markdown: `ada pushed [1 commit](https://github.com/acme/shop/compare/a1...b2) to \`main\` of [acme/shop](https://github.com/acme/shop)

- [\`b2c3d4e\`](https://github.com/acme/shop/commit/b2c3d4e) Fix \\*rounding\\*`,
  },

  'GitHub, webhook of a repository: pull request': {
    headers: { 'x-github-event': 'pull_request' },
    payload: {
      action: 'opened',
      number: 12,
      pull_request: {
        number: 12,
        title: 'Round prices',
        html_url: 'https://github.com/acme/shop/pull/12',
        body: '<!-- template -->Closes #11.',
        merged: false,
      },
      repository: { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' },
      sender: { login: 'bob' },
    },
    title: 'Round prices',
    markdown: 'bob opened the pull request [acme/shop#12](https://github.com/acme/shop/pull/12)\n\nCloses #11.',
  },

  'GitHub, webhook of a repository: failed workflow': {
    headers: { 'x-github-event': 'workflow_run' },
    payload: {
      action: 'completed',
      workflow_run: {
        name: 'CI',
        head_branch: 'main',
        conclusion: 'failure',
        html_url: 'https://github.com/acme/shop/actions/runs/1',
      },
      repository: { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' },
    },
    title: '🔴 CI: failure',
    markdown:
      '[The run](https://github.com/acme/shop/actions/runs/1) on `main` of [acme/shop](https://github.com/acme/shop)',
  },

  'Sentry, internal integration: issue alert': {
    headers: { 'sentry-hook-resource': 'event_alert' },
    payload: {
      action: 'triggered',
      actor: { id: 'sentry', name: 'Sentry', type: 'application' },
      data: {
        event: {
          title: "TypeError: Cannot read 'total' of undefined",
          culprit: 'cart/total in sum_prices',
          level: 'error',
          web_url: 'https://sentry.example.com/organizations/acme/issues/1/events/2/',
        },
        triggered_rule: 'New issues',
      },
      installation: { uuid: 'a8e5d37a' },
    },
    title: "🔴 TypeError: Cannot read 'total' of undefined",
    markdown: `cart/total in sum\\_prices
Level: error · Alert: New issues
[Open in Sentry](https://sentry.example.com/organizations/acme/issues/1/events/2/)`,
  },

  'GitLab, Mattermost notifications': {
    payload: {
      username: 'GitLab',
      channel: 'town-square',
      text: '',
      attachments: [
        {
          fallback: '[Shop](https://gitlab.example.com/acme/shop): Pipeline #7 has failed in 02:10',
          color: 'danger',
          author_name: 'Ada Lovelace (ada)',
          author_icon: 'https://gitlab.example.com/avatar.png',
          author_link: 'https://gitlab.example.com/ada',
          title: 'Pipeline #7 has failed in 02:10',
          title_link: 'https://gitlab.example.com/acme/shop/-/pipelines/7',
          fields: [
            { title: 'Branch', value: '<https://gitlab.example.com/acme/shop/-/commits/main|main>', short: true },
            { title: 'Failed job', value: '<https://gitlab.example.com/acme/shop/-/jobs/9|rspec>', short: false },
          ],
          footer: 'Shop',
          ts: 1763344800,
        },
      ],
    },
    title: '🔴 Pipeline #7 has failed in 02:10',
    markdown: `[Ada Lovelace (ada)](https://gitlab.example.com/ada)

**Branch:** [main](https://gitlab.example.com/acme/shop/-/commits/main)
**Failed job:** [rspec](https://gitlab.example.com/acme/shop/-/jobs/9)

*Shop · 2025-11-17 02:00 UTC*

[Open](https://gitlab.example.com/acme/shop/-/pipelines/7)`,
  },

  'Jenkins, Slack Notification plugin': {
    payload: {
      channel: '#ci',
      link_names: '1',
      unfurl_links: 'true',
      attachments: [
        {
          fallback: 'shop » main - #42 Failure after 1 min 3 sec (<https://jenkins.example.com/job/shop/42/|Open>)',
          color: 'danger',
          text: 'shop » main - #42 Failure after 1 min 3 sec (<https://jenkins.example.com/job/shop/42/|Open>)',
          mrkdwn_in: ['pretext', 'text', 'fields'],
        },
      ],
    },
    markdown: '> 🔴 shop » main - #42 Failure after 1 min 3 sec ([Open](https://jenkins.example.com/job/shop/42/))',
  },
}
