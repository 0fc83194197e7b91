import { isMet, type Verdict } from './verdicts'

const ROW = 34
const LEFT = 330
const WIDTH = 360
const TOP = 44

/** What share of its goal each figure reaches, as bars with a line at the goal. */
export function chart(all: readonly Verdict[]): string {
  const rows = worstOfGroups(all.filter(({ goal }) => goal))
  const height = TOP + rows.length * ROW + 16
  const most = 2
  const x = (share: number) => LEFT + (Math.min(share, most) / most) * WIDTH
  const bars = rows.map((verdict, at) => {
    const share = shareOf(verdict)
    const y = TOP + at * ROW
    const colour = isMet(verdict) ? '#17713a' : '#b3261e'
    return `<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${escaped(nameOf(verdict))}</text>
<rect x="${LEFT}" y="${y + 2}" width="${(x(share) - LEFT).toFixed(1)}" height="18" rx="3" fill="${colour}"/>
<text x="${x(share) + 8}" y="${y + 15}">${share.toFixed(2)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 70}" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fbfaf8"/>
<g fill="#1f2421"><text x="${x(1)}" y="22" text-anchor="middle">the goal</text>
${bars.join('\n')}</g>
<line x1="${x(1)}" x2="${x(1)}" y1="30" y2="${height - 8}" stroke="#5d625d" stroke-dasharray="3 3"/>
</svg>
`
}

const shareOf = ({ goal, value }: Verdict) => (goal!.at === 'least' ? value / goal!.value : goal!.value / value)
const nameOf = ({ group, question }: Verdict) => (group ? `${group}, worst list` : question)

function worstOfGroups(all: readonly Verdict[]): Verdict[] {
  const isWorst = (verdict: Verdict) =>
    all.every((other) => other === verdict || other.group !== verdict.group || shareOf(other) >= shareOf(verdict))
  return all.filter((verdict) => verdict.group === undefined || isWorst(verdict))
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
