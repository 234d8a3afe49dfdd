package validation

func markerLimitRules() []rule    { return nil }
func markerStringRules() []rule   { return nil }
func markerListRules() []rule     { return nil }
func markerPresenceRules() []rule { return nil }
func markerGroupRules() []rule    { return nil }
func markerShapeRules() []rule    { return nil }
func celRules() []rule            { return nil }
func schemaRules() []rule         { return nil }
