import type { ReactNode } from 'react'
import { type SidebarSection, useFoldedSections } from '../data/sidebar'
import { Icon } from '../parts/icon'

interface SectionProps {
  name: SidebarSection
  title: string
  /** A button beside the heading. */
  action?: ReactNode
  children(isFolded: boolean): ReactNode
}

/** A section that folds. */
export function Section({ name, title, action, children }: SectionProps) {
  const [folded, toggle] = useFoldedSections()
  const isFolded = folded.includes(name)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div role="group" className="sidebar-section" aria-label={title}>
      <div className="sidebar-head">
        <h2>
          <button type="button" aria-expanded={!isFolded} onClick={() => toggle(name)}>
            <Icon name="down" />
            {title}
          </button>
        </h2>
        {action}
      </div>
      {children(isFolded)}
    </div>
  )
}
