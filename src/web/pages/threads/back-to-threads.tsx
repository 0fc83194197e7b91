import { Link } from 'wouter'
import { Icon } from '../../parts/icon'
import { paths } from '../../paths'

/** Shown where the list is not. */
export const BackToThreads = () => (
  <Link href={paths.threads} className="button plain icon thread-back" aria-label="All threads" title="All threads">
    <Icon name="back" />
  </Link>
)
