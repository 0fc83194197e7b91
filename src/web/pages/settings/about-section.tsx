import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../data/me'
import { versionQuery } from '../../data/version'
import { Button } from '../../parts/button'
import { paths } from '../../paths'
import { openKeys } from '../../shell/overlays'

export function AboutSection() {
  const version = useQuery(versionQuery)
  const { workspace } = useMe()
  return (
    <>
      <dl className="details-list">
        <dt>Workspace</dt>
        <dd>{workspace.name}</dd>
        <dt>Parley</dt>
        <dd>{version.data ?? '…'}</dd>
      </dl>
      <div className="row">
        <a className="button" href={paths.apiReference}>
          API reference
        </a>
        <Button onClick={openKeys}>Keyboard shortcuts</Button>
      </div>
      <p className="meta">
        This app uses the same API that is available to your own programs. Press <kbd>?</kbd> anywhere to see the
        keyboard shortcuts.
      </p>
    </>
  )
}
