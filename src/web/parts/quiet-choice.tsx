import { type ComponentProps, Suspense, useState } from 'react'
import { Icon } from './icon'
import { lazyLoad } from './lazy-load'
import type { ChoiceGroup } from './menu'

const ChoiceMenu = lazyLoad(async () => ({ default: (await import('./choice-menu')).ChoiceMenu }), 'soon')

interface Props {
  label: string
  groups: ChoiceGroup[]
}

/** What is chosen, as quiet text that opens a menu; its code is loaded later, because most never open it. */
export function QuietChoice({ label, groups }: Props) {
  const [isOpened, setOpened] = useState(false)
  const button = <QuietButton label={label} groups={groups} aria-haspopup="menu" onClick={() => setOpened(true)} />
  return isOpened ? (
    <Suspense fallback={button}>
      <ChoiceMenu label={label} groups={groups} button={<QuietButton label={label} groups={groups} />} />
    </Suspense>
  ) : (
    button
  )
}

const findText = ({ value, choices }: ChoiceGroup) => (choices.find(([choice]) => choice === value) ?? choices[0]!)[1]

/** “All posts, newest” */
const QuietButton = ({ label, groups, ...rest }: Props & ComponentProps<'button'>) => (
  <button type="button" {...rest} className="quiet-choice">
    <span className="visually-hidden">{label}: </span>
    {groups.map((group, at) => (at === 0 ? findText(group) : `, ${findText(group).toLowerCase()}`)).join('')}
    <Icon name="down" />
  </button>
)
