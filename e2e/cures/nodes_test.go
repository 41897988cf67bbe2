package cures

func (r *round) changeNodes() {}
func (r *round) askWhatIf()   {}
