find_dependency(CycloneDDS)
